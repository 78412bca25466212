package profile

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync"

	"retro/pkg/ndjson"
)

// Profile is one policy.
type Profile struct {
	// Name is lower-case letters, digits and hyphens.
	Name string `json:"name"`
	// About says in a sentence what the profile is for.
	About string `json:"about"`
	// Turns says what the gate counts as a turn of the agent.
	Turns Turns `json:"turns"`
	// Threshold is the score from which on a session passes the gate.
	Threshold float64  `json:"threshold"`
	Signals   []Signal `json:"signals"`
	Limits    Limits   `json:"limits"`
	// EditTools are the names of the tools that edit files.
	EditTools []string  `json:"edit_tools"`
	Lexicons  []Lexicon `json:"lexicons"`
	// Guards are the guards that are on.
	Guards []Guard `json:"guards"`
	// Features are the reasons for a hit that detectors may name.
	Features []Feature `json:"features"`

	compiled phrases
}

// Turns is a way to count the agent's turns.
type Turns string

// The two ways to count turns.
const (
	// Lines is the original gate's: every line of the transcript is a turn, and
	// its own observers read the raw lines.
	Lines Turns = "lines"
	// Messages counts the lines of one message id as one turn.
	Messages Turns = "messages"
)

// Signal is what a kind of hit is worth.
type Signal struct {
	// Name is what the verdict calls it: S1 to S5, or a later name.
	Name string `json:"name"`
	// Detector is the detector whose hits they are.
	Detector string `json:"detector"`
	// Words is the name as people read it.
	Words  string  `json:"words"`
	Weight float64 `json:"weight"`
	// Cap is how many hits count at most; 0 is no cap.
	Cap int `json:"cap"`
	// Shown is how many ids a verdict lists at most, MaxShown or less.
	Shown int `json:"shown"`
	// PerTurns makes the signal a rate: in a session of more than PerTurns turns
	// its worth shrinks to that of PerTurns turns. 0 is off.
	PerTurns int `json:"per_turns"`
}

// MaxShown is the most ids of one signal that a verdict can list.
const MaxShown = 100

// Counted is how many of the hits count.
func (s *Signal) Counted(hits int) int {
	if s.Cap > 0 {
		return min(hits, s.Cap)
	}
	return hits
}

// Worth is what a number of counted hits adds to the score of a session of so
// many turns, rounded to two decimals as the original gate rounds.
func (s *Signal) Worth(counted, turns int) float64 {
	worth := s.Weight * float64(counted)
	if s.PerTurns > 0 && turns > s.PerTurns {
		worth *= float64(s.PerTurns) / float64(turns)
	}
	return math.Round(worth*100) / 100
}

// Limits are the numbers that detectors compare with.
type Limits struct {
	// ErrorRun is how many failures in a row make a run.
	ErrorRun int `json:"error_run"`
	// LoopEdits is how many edits of one file make a loop when no more than
	// LoopTurns turns lie between the first and the last.
	LoopEdits int `json:"loop_edits"`
	LoopTurns int `json:"loop_turns"`
	// LongTurn is the length from which on a turn is long, in characters.
	LongTurn int `json:"long_turn"`
	// TerseWords is how many words a terse reply has at most.
	TerseWords int `json:"terse_words"`
}

// Guard is a switch that keeps a kind of false alarm out; every one can be
// measured alone.
type Guard string

// guards lists the guards there are.
var guards = []Guard{}

// Has tells whether the guard is on.
func (p *Profile) Has(g Guard) bool {
	for _, on := range p.Guards {
		if on == g {
			return true
		}
	}
	return false
}

// Feature is a reason for a hit and how much it adds to the belief in it.
type Feature struct {
	Signal string  `json:"signal"`
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// Signal returns the signal of the name; nil when the profile has none: it then
// weighs nothing.
func (p *Profile) Signal(name string) *Signal {
	for i := range p.Signals {
		if p.Signals[i].Name == name {
			return &p.Signals[i]
		}
	}
	return nil
}

// ConfigHash is the first 16 hex digits of the SHA-256 of the document in its
// canonical form, so that layout does not count.
func (p *Profile) ConfigHash() string {
	document, err := ndjson.Marshal(p)
	if err != nil {
		panic("profile: a checked profile cannot be written")
	}
	sum := sha256.Sum256(document)
	return hex.EncodeToString(sum[:])[:16]
}

// The built-in profiles.
const (
	// Classic is the name of the original gate's policy.
	Classic = "classic"
	// Default is the profile that is used when none is named.
	Default = Classic
)

//go:embed classic.json
var classicDocument []byte

// Named returns the built-in profile of the name. It is shared and must not be
// changed.
func Named(name string) (*Profile, bool) {
	if name != Classic {
		return nil, false
	}
	return classicProfile(), true
}

var classicProfile = sync.OnceValue(func() *Profile {
	p, err := Parse(classicDocument)
	if err != nil {
		panic("profile: built-in document: " + err.Error())
	}
	return p
})

// Load returns a built-in profile by its name, or reads a document by its file
// name: what holds a dot or a path separator is a file name.
func Load(nameOrFile string) (*Profile, error) {
	if p, ok := Named(nameOrFile); ok {
		return p, nil
	}
	if !strings.ContainsAny(nameOrFile, "./\\") {
		return nil, fmt.Errorf("no such profile: there is %s, or name a file", Classic)
	}
	data, err := os.ReadFile(nameOrFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nameOrFile, reason(err))
	}
	p, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nameOrFile, err)
	}
	return p, nil
}

// reason is a file error without the path, which stands before it already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
