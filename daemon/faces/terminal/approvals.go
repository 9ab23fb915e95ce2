package terminal

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/protocol"
)

// Approvals revokes the approvals with the ids in revoke. It then lists those that are
// left; as text, it does so only if revoke is empty. It starts no server.
func Approvals(ctx context.Context, eo engine.Options, o *Options, revoke []string) error {
	return with(ctx, eo, o, func(ctx context.Context, s *session) error {
		for _, id := range revoke {
			a, err := s.engine.Approvals.Revoke(ctx, &protocol.ApprovalRevokeParams{ID: id})
			if err != nil {
				return err
			}
			if !o.JSON {
				p := printer{w: o.Out}
				p.line("Taken back: %s %s. Sessions that run on this storage follow.", display.ApprovalTitle(&a), display.ApprovalWords(&a))
				if p.err != nil {
					return p.err
				}
			}
		}
		all := s.engine.Approvals.List()
		switch {
		case o.JSON:
			return codec.Write(o.Out, protocol.ApprovalListResult{Approvals: all})
		case len(revoke) > 0:
			return nil
		case len(all) == 0:
			_, err := fmt.Fprintln(o.Out, "Nothing is approved here.")
			return err
		}
		w := tabwriter.NewWriter(o.Out, 0, 0, 2, ' ', 0)
		p := printer{w: w}
		p.line("ID\tSINCE\tWHAT\tWHERE")
		for i := range all {
			a := &all[i]
			p.line("%s\t%s\t%s %s\t%s", a.ID, display.ApprovalSince(a), display.ApprovalTitle(a), display.ApprovalWords(a), hiddentext.PrintableLine(a.File+a.Folder))
		}
		if p.err != nil {
			return p.err
		}
		return w.Flush()
	})
}
