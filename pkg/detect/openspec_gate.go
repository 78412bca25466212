package detect

import (
	"retro/pkg/record"
	"retro/pkg/transcript"
)

func init() {
	register(Detector{
		Name: "openspec-gate",
		Doc:  "Two or more source files were edited in a project without an open change, and none was touched.",
		New:  openSpecGate,
	})
}

// maxFiles is how many files a piece of evidence names.
const maxFiles = 20

// openSpecGate reports once a session, stamped with the last edit; the turn and
// the call are those of the second file, with which the rule was broken. Edits
// of sub-agents count: the rule is about the change, not about who types. Whether
// a change is open is known only of a project that may be looked at.
//
// Read by hand on recorded sessions, as if their project had no open change: 20 of
// 20 hits had edited two or more source files and touched no proposal. What a hit
// cannot know is an exemption that the person gave in words, so it stays
// heuristic.
func openSpecGate(opt *Options, report Report) *Observer {
	s := opt.rules
	rule, on := s.rule("openspec-gate")
	if !on || s.project.Files == nil {
		return nil
	}
	var files []record.Path
	seen := make(map[string]struct{})
	var breach, last place
	touched := false
	return &Observer{
		Block: func(b *transcript.Block) {
			if b.Kind != transcript.ToolCall || touched {
				return
			}
			if touched = s.project.TouchesOpenSpec(s.call); touched {
				return
			}
			file, source := s.project.EditedSource(s.call)
			if !source {
				return
			}
			last = placeOf(b)
			if _, again := seen[file.String()]; again {
				return
			}
			seen[file.String()] = struct{}{}
			if len(files) < maxFiles {
				files = append(files, file)
			}
			if len(seen) == 2 {
				breach = last
			}
		},
		End: func(*transcript.Summary) {
			if touched || len(seen) < 2 || opt.view.hasOpenChange() {
				return
			}
			report(last.hit(&record.OpenSpecGateEvidence{Files: files, Count: len(seen), Site: breach.site()}, rule, "session"))
		},
	}
}
