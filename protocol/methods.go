package protocol

// Direction is who sends a message.
type Direction string

// The values of [Direction].
const (
	ToServer Direction = "clientToServer"
	ToClient Direction = "serverToClient"
	Both     Direction = "both"
)

// The methods of the wire.
const (
	MethodInitialize           = "initialize"
	MethodInitialized          = "initialized"
	MethodShutdown             = "shutdown"
	MethodExit                 = "exit"
	MethodCancelRequest        = "$/cancelRequest"
	MethodProgress             = "$/progress"
	MethodDidChangeSettings    = "settings/didChange"
	MethodSettingsInForce      = "settings/inForce"
	MethodDidChangeFolders     = "workspace/didChangeFolders"
	MethodDidGrantTrust        = "workspace/didGrantTrust"
	MethodSetLogLevel          = "logging/setLevel"
	MethodCatalogList          = "catalog/list"
	MethodCatalogRows          = "catalog/rows"
	MethodStatusShow           = "status/show"
	MethodToolRows             = "catalog/toolRows"
	MethodSetHostTools         = "catalog/setHostTools"
	MethodCatalogSearch        = "catalog/search"
	MethodCatalogDidChange     = "catalog/didChange"
	MethodServerRestart        = "server/restart"
	MethodServerStop           = "server/stop"
	MethodServerSignIn         = "server/signIn"
	MethodServerLog            = "server/log"
	MethodServerConsent        = "server/consent"
	MethodServerConsentPrompt  = "server/consentPrompt"
	MethodServerWait           = "server/wait"
	MethodServerSetEnabled     = "server/setEnabled"
	MethodToolSetEnabled       = "tool/setEnabled"
	MethodToolApprove          = "tool/approve"
	MethodToolSetAlwaysLoad    = "tool/setAlwaysLoad"
	MethodToolSetDescription   = "tool/setDescription"
	MethodLockList             = "lock/list"
	MethodLockRows             = "lock/rows"
	MethodLockDiff             = "lock/diff"
	MethodLockApprove          = "lock/approve"
	MethodLockKeep             = "lock/keep"
	MethodLockUndo             = "lock/undo"
	MethodApprovalList         = "approvals/list"
	MethodApprovalRevoke       = "approvals/revoke"
	MethodJournalList          = "journal/list"
	MethodModeList             = "mode/list"
	MethodModeSet              = "mode/set"
	MethodModeSetServerBlocked = "mode/setServerBlocked"
	MethodEditUndo             = "edit/undo"
	MethodImportList           = "import/list"
	MethodImportPlan           = "import/plan"
	MethodImportApply          = "import/apply"
	MethodImportHistory        = "import/history"
	MethodImportPlanUndo       = "import/planUndo"
	MethodImportUndo           = "import/undo"
	MethodTaskOpen             = "task/open"
	MethodTaskTurn             = "task/turn"
	MethodTaskCompact          = "task/compact"
	MethodTaskResume           = "task/resume"
	MethodTaskClose            = "task/close"
	MethodTaskList             = "task/list"
	MethodTaskRows             = "task/rows"
	MethodTaskPast             = "task/past"
	MethodTaskLoad             = "task/load"
	MethodTaskSearch           = "task/search"
	MethodTaskDescribeCall     = "task/describeCall"
	MethodTaskCall             = "task/call"
	MethodTaskExplain          = "task/explain"
	MethodTaskTools            = "task/tools"
	MethodTaskWhy              = "task/why"
	MethodTaskUsage            = "task/usage"
	MethodTaskUsageRows        = "task/usageRows"
	MethodTaskReport           = "task/report"
	MethodConversationRoute    = "conversation/route"
	MethodConversationCall     = "conversation/call"
	MethodConversationAnswer   = "conversation/answer"
	MethodChatBegin            = "chat/begin"
	MethodChatKeep             = "chat/keep"
	MethodLearnedClear         = "learned/clear"
	MethodSavingsReset         = "savings/reset"
	MethodGatewayInfo          = "gateway/info"
	MethodClaimConfirm         = "claim/confirm"
	MethodInputRequest         = "input/request"
	MethodSecretGet            = "secret/get"
	MethodSecretSet            = "secret/set"
	MethodOpenExternal         = "window/openExternal"
	MethodExternalURL          = "window/externalUrl"
	MethodShowMessage          = "window/showMessage"
	MethodTelemetryEvent       = "telemetry/event"
)

// Method is one row of the method table.
type Method struct {
	Name      string
	Direction Direction
	// Params is a zero value of the params' type.
	Params any
	// Result is a zero value of the result's type; nil for a notification.
	Result any
}

// Methods returns the method table. Each method that is declared on the wire
// has one row, and the daemon answers each row that is sent to it.
func Methods() []Method {
	return []Method{
		{MethodInitialize, ToServer, InitializeParams{}, InitializeResult{}},
		{MethodInitialized, ToServer, Empty{}, nil},
		{MethodShutdown, ToServer, Empty{}, Empty{}},
		{MethodExit, ToServer, Empty{}, nil},
		{MethodCancelRequest, Both, CancelParams{}, nil},
		{MethodProgress, ToClient, ProgressParams{}, nil},
		{MethodDidChangeSettings, ToServer, DidChangeSettingsParams{}, nil},
		{MethodSettingsInForce, ToClient, Settings{}, nil},
		{MethodDidChangeFolders, ToServer, DidChangeFoldersParams{}, nil},
		{MethodDidGrantTrust, ToServer, Empty{}, nil},
		{MethodSetLogLevel, ToServer, SetLogLevelParams{}, Empty{}},
		{MethodCatalogList, ToServer, CatalogListParams{}, CatalogListResult{}},
		{MethodCatalogRows, ToServer, CatalogRowsParams{}, CatalogRowsResult{}},
		{MethodStatusShow, ToServer, StatusParams{}, StatusResult{}},
		{MethodToolRows, ToServer, ToolRowsParams{}, ToolRowsResult{}},
		{MethodSetHostTools, ToServer, SetHostToolsParams{}, SetHostToolsResult{}},
		{MethodCatalogSearch, ToServer, CatalogSearchParams{}, CatalogSearchResult{}},
		{MethodCatalogDidChange, ToClient, CatalogDidChangeParams{}, nil},
		{MethodServerRestart, ToServer, ServerParams{}, Empty{}},
		{MethodServerStop, ToServer, ServerParams{}, Empty{}},
		{MethodServerSignIn, ToServer, ServerParams{}, Empty{}},
		{MethodServerLog, ToServer, ServerParams{}, ServerLogResult{}},
		{MethodServerConsent, ToServer, ServerConsentParams{}, Empty{}},
		{MethodServerConsentPrompt, ToServer, ConsentPromptParams{}, ConsentPromptResult{}},
		{MethodServerWait, ToServer, ServerWaitParams{}, ServerWaitResult{}},
		{MethodServerSetEnabled, ToServer, ServerSetEnabledParams{}, EditResult{}},
		{MethodToolSetEnabled, ToServer, ToolSetEnabledParams{}, EditResult{}},
		{MethodToolApprove, ToServer, ToolApproveParams{}, EditResult{}},
		{MethodToolSetAlwaysLoad, ToServer, ToolSetAlwaysLoadParams{}, EditResult{}},
		{MethodToolSetDescription, ToServer, ToolSetDescriptionParams{}, EditResult{}},
		{MethodLockList, ToServer, Empty{}, LockListResult{}},
		{MethodLockRows, ToServer, LockRowsParams{}, LockRowsResult{}},
		{MethodLockDiff, ToServer, LockRef{}, LockDiffResult{}},
		{MethodLockApprove, ToServer, LockDecideParams{}, LockDecideResult{}},
		{MethodLockKeep, ToServer, LockDecideParams{}, LockDecideResult{}},
		{MethodLockUndo, ToServer, LockUndoParams{}, LockDecideResult{}},
		{MethodApprovalList, ToServer, Empty{}, ApprovalListResult{}},
		{MethodApprovalRevoke, ToServer, ApprovalRevokeParams{}, Empty{}},
		{MethodJournalList, ToServer, JournalListParams{}, JournalListResult{}},
		{MethodModeList, ToServer, Empty{}, ModeListResult{}},
		{MethodModeSet, ToServer, ModeSetParams{}, Empty{}},
		{MethodModeSetServerBlocked, ToServer, ModeSetServerBlockedParams{}, EditResult{}},
		{MethodEditUndo, ToServer, EditUndoParams{}, EditResult{}},
		{MethodImportList, ToServer, Empty{}, ImportListResult{}},
		{MethodImportPlan, ToServer, ImportPlanParams{}, ImportPlanResult{}},
		{MethodImportApply, ToServer, ImportApplyParams{}, ImportApplyResult{}},
		{MethodImportHistory, ToServer, Empty{}, ImportHistoryResult{}},
		{MethodImportPlanUndo, ToServer, ImportPlanUndoParams{}, ImportPlanUndoResult{}},
		{MethodImportUndo, ToServer, ImportUndoParams{}, Empty{}},
		{MethodTaskOpen, ToServer, TaskOpenParams{}, Attachment{}},
		{MethodTaskTurn, ToServer, TaskTurnParams{}, Attachment{}},
		{MethodTaskCompact, ToServer, TaskCompactParams{}, Attachment{}},
		{MethodTaskResume, ToServer, TaskResumeParams{}, Attachment{}},
		{MethodTaskClose, ToServer, TaskParams{}, Empty{}},
		{MethodTaskList, ToServer, Empty{}, TaskListResult{}},
		{MethodTaskRows, ToServer, Empty{}, TaskRowsResult{}},
		{MethodTaskPast, ToServer, Empty{}, TaskRowsResult{}},
		{MethodTaskLoad, ToServer, TaskLoadParams{}, TaskLoadResult{}},
		{MethodTaskSearch, ToServer, TaskSearchParams{}, TaskSearchResult{}},
		{MethodTaskDescribeCall, ToServer, TaskDescribeCallParams{}, TaskDescribeCallResult{}},
		{MethodTaskCall, ToServer, TaskCallParams{}, TaskCallResult{}},
		{MethodTaskExplain, ToServer, TaskExplainParams{}, TaskExplainResult{}},
		{MethodTaskTools, ToServer, TaskParams{}, TaskToolsResult{}},
		{MethodTaskWhy, ToServer, TaskWhyParams{}, TaskWhyResult{}},
		{MethodTaskUsage, ToServer, TaskUsageParams{}, TaskUsageResult{}},
		{MethodTaskUsageRows, ToServer, TaskUsageRowsParams{}, TaskUsageRowsResult{}},
		{MethodTaskReport, ToServer, TaskReportParams{}, Report{}},
		{MethodConversationRoute, ToServer, ConversationRouteParams{}, ConversationRouteResult{}},
		{MethodConversationCall, ToServer, ConversationCallParams{}, TaskCallResult{}},
		{MethodConversationAnswer, ToServer, ConversationAnswerParams{}, ConversationAnswerResult{}},
		{MethodChatBegin, ToServer, ChatBeginParams{}, ChatBeginResult{}},
		{MethodChatKeep, ToServer, ChatKeepParams{}, ChatKeepResult{}},
		{MethodLearnedClear, ToServer, Empty{}, Empty{}},
		{MethodSavingsReset, ToServer, Empty{}, Empty{}},
		{MethodGatewayInfo, ToServer, Empty{}, GatewayInfoResult{}},
		{MethodClaimConfirm, ToClient, ClaimConfirmParams{}, ClaimConfirmResult{}},
		{MethodInputRequest, ToClient, InputRequestParams{}, InputRequestResult{}},
		{MethodSecretGet, ToClient, SecretGetParams{}, SecretGetResult{}},
		{MethodSecretSet, ToClient, SecretSetParams{}, Empty{}},
		{MethodOpenExternal, ToClient, OpenExternalParams{}, OpenExternalResult{}},
		{MethodExternalURL, ToClient, ExternalURLParams{}, ExternalURLResult{}},
		{MethodShowMessage, ToClient, ShowMessageParams{}, nil},
		{MethodTelemetryEvent, ToClient, TelemetryEventParams{}, nil},
	}
}
