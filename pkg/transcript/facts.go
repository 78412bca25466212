package transcript

import (
	"cmp"
	"retro/pkg/ndjson"
	"slices"
)

// Facts are what the records say about a session besides its turns: taken from
// the main transcript only.
type Facts struct {
	// FirstDir and LastDir are working directories, FirstBranch and LastBranch
	// git branches, as the first and the last record with one name them.
	FirstDir, LastDir, FirstBranch, LastBranch string
	// Version is the newest version of the agent that wrote to the file.
	Version string
	// Entrypoint is how the agent was started: `cli`, `sdk-py` ...
	Entrypoint string
	ids        []idCount
}

type idCount struct {
	id string
	n  int
}

// maxIDs bounds how many different session ids of one file are told apart.
const maxIDs = 64

// note takes what a record says.
func (f *Facts) note(r *claudeRecord) {
	setText(&f.FirstDir, &f.LastDir, r.cwd)
	setText(&f.FirstBranch, &f.LastBranch, r.branch)
	var ignored string
	setText(&ignored, &f.Version, r.version)
	setText(&ignored, &f.Entrypoint, r.entrypoint)
	if r.sessionID != nil {
		f.noteID(r.sessionID[min(1, len(r.sessionID)):max(1, len(r.sessionID)-1)])
	}
}

// setText keeps the first and the last value of a field. Nearly every record
// repeats the last, so nothing is allocated then.
func setText(first, last *string, v []byte) {
	if len(v) < 3 || v[0] != '"' || string(v[1:len(v)-1]) == *last {
		return
	}
	*last = ndjson.Value(v).String()
	if *first == "" {
		*first = *last
	}
}

func (f *Facts) noteID(id []byte) {
	for i := range f.ids {
		if f.ids[i].id == string(id) {
			f.ids[i].n++
			return
		}
	}
	if len(id) > 0 && len(f.ids) < maxIDs {
		f.ids = append(f.ids, idCount{string(id), 1})
	}
}

// mostFrequentID is the session id that most records carry, the first of them
// when several do.
func (f *Facts) mostFrequentID() string {
	if len(f.ids) == 0 {
		return ""
	}
	return slices.MaxFunc(f.ids, func(a, b idCount) int { return cmp.Compare(a.n, b.n) }).id
}
