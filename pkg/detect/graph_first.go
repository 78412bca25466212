package detect

import (
	"slices"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

func init() {
	register(Detector{
		Name: "graph-first",
		Doc:  "Searches the files before the code graph was looked at, in a project that has one.",
		New:  graphFirst,
	})
}

// graphFirst reports once a session: how many searches of the main chain came
// before its first look into the graph. Sub-agents count on neither side.
//
// Read by hand on recorded sessions, as if their project had a graph: 20 of 20
// hits were searches of the project's files by the main chain; before searches
// outside the project were left out it was 19. What a hit cannot know is whether
// the person asked for the search.
func graphFirst(opt *Options, report Report) *Observer {
	s := opt.rules
	rule, on := s.rule("graph-first")
	if !on {
		return nil
	}
	var early record.GraphFirstEvidence
	var at place
	var byTool, bySQLite bool
	return &Observer{
		Block: func(b *transcript.Block) {
			if b.Kind != transcript.ToolCall || b.Call.Sidechain {
				return
			}
			switch s.project.GraphAccess(s.call) {
			case predicate.ToolAccess:
				byTool = true
			case predicate.SQLiteAccess:
				bySQLite = true
			}
			if !s.project.Searches(s.call) || byTool || bySQLite {
				return
			}
			if early.Count++; early.Count == 1 {
				at, early.FirstIndex = placeOf(b), b.Call.Index
			}
			if tool := record.NewName(s.call.Tool); !slices.Contains(early.Tools, tool) {
				early.Tools = append(early.Tools, tool)
			}
		},
		End: func(*transcript.Summary) {
			if early.Count == 0 || !opt.view.hasGraph() {
				return
			}
			early.Proof = proofOf(byTool, bySQLite)
			early.Site = at.site()
			slices.SortFunc(early.Tools, byText)
			report(at.hit(&early, rule, "session"))
		},
	}
}

// proofOf names what came of the graph later: its tool anywhere in the session
// counts before its database.
func proofOf(byTool, bySQLite bool) record.Proof {
	switch {
	case byTool:
		return record.MCPLater
	case bySQLite:
		return record.SQLiteLater
	}
	return record.TotalBypass
}
