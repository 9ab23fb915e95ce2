package learned

import (
	"errors"
	"log/slog"
	"time"

	"github.com/winnow-mcp/winnow/router"
)

// Learned is all that is learned in one workspace.
type Learned struct {
	Uses   *Uses
	Misses *Misses
	// Clients holds the observed behaviour of MCP clients.
	Clients *Clients
	Tokens  *TokenCounts
	Savings *Savings
	Told    *Told
}

// Open reads what earlier runs learned. An unreadable file is replaced and reported
// in the error; the result is usable in any case.
func Open(storage string, log *slog.Logger, now func() time.Time) (*Learned, error) {
	uses, err1 := OpenUses(storage, now)
	misses, err2 := OpenMisses(storage)
	clients, err3 := OpenClients(storage)
	savings, err4 := OpenSavings(storage, now)
	told, err5 := OpenTold(storage)
	return &Learned{
		Uses: uses, Misses: misses, Clients: clients, Tokens: OpenTokenCounts(storage, log), Savings: savings, Told: told,
	}, errors.Join(err1, err2, err3, err4, err5)
}

// Load records that a task's message should have brought these tools.
func (l *Learned) Load(t *router.Task, ids []router.ToolID) { l.Misses.Record(t.Message, ids) }

// Save writes what has changed.
func (l *Learned) Save() error {
	return errors.Join(l.Uses.Save(), l.Misses.Save(), l.Clients.Save(), l.Tokens.Save(), l.Savings.Save())
}

// Clear deletes everything and the files. Token counts in memory are dropped too.
func (l *Learned) Clear() error {
	return errors.Join(l.Uses.Clear(), l.Misses.Clear(), l.Clients.Clear(), l.Tokens.Clear(), l.Savings.Clear(), l.Told.Clear())
}
