package profile

import (
	"bytes"
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
	"retro/pkg/wording"
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
	// Wording are patterns of words by kind and language; see the package
	// wording for their notation.
	Wording []wording.Patterns `json:"wording,omitempty"`
	// Guards are the guards that are on.
	Guards []Guard `json:"guards"`
	// Features are the reasons for a hit that detectors may name.
	Features []Feature `json:"features"`

	compiled phrases
	once     sync.Once
	lexicon  *wording.Lexicon
	hashOnce sync.Once
	hash     string
}

// WordingLexicon compiles the wording, once. A user takes a copy of it with
// its own buffers by its With method.
func (p *Profile) WordingLexicon() *wording.Lexicon {
	p.once.Do(func() { p.lexicon = wording.New(p.Wording) })
	return p.lexicon
}

// Weight is the weight of a feature of a signal; 0 when the profile has none.
func (p *Profile) Weight(signal, feature string) float64 {
	for _, f := range p.Features {
		if f.Signal == signal && f.Name == feature {
			return f.Weight
		}
	}
	return 0
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
	// PerTurns makes the signal a rate: what counts is the number of hits in
	// PerTurns turns, in a shorter session the number of hits, and Cap bounds
	// that. 0 is off.
	PerTurns int `json:"per_turns"`
}

// MaxShown is the most ids of one signal that a verdict can list.
const MaxShown = 100

// Counted is how many of the hits a verdict shows as counted: of a rate, all.
func (s *Signal) Counted(hits int) int {
	if s.Cap > 0 && s.PerTurns == 0 {
		return min(hits, s.Cap)
	}
	return hits
}

// Worth is what a number of counted hits adds to the score of a session of so
// many turns, rounded to two decimals as the original gate rounds.
func (s *Signal) Worth(counted, turns int) float64 {
	n := float64(counted)
	if s.PerTurns > 0 {
		n *= float64(s.PerTurns) / float64(max(turns, s.PerTurns))
		if s.Cap > 0 {
			n = min(n, float64(s.Cap))
		}
	}
	return math.Round(s.Weight*n*100) / 100
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
	// Pushback is the sum of feature weights from which on a prompt is pushback;
	// 0 in a profile that does not look for it.
	Pushback float64 `json:"pushback,omitempty"`
}

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
	p.hashOnce.Do(func() { p.hash = p.documentHash() })
	return p.hash
}

func (p *Profile) documentHash() string {
	document, err := ndjson.Marshal(p)
	if err != nil {
		panic("profile: a checked profile cannot be written")
	}
	sum := sha256.Sum256(document)
	return hex.EncodeToString(sum[:])[:16]
}

// The hashes of the built-in profiles, which the tests compare with their documents:
// to write one, in order to hash it, takes 2 ms of every start.
const (
	classicHash = "6d66cf3a3ca6a6ce"
	guardedHash = "7c5ae3e2d8271ed0"
)

// The built-in profiles.
const (
	// Classic is the name of the original gate's policy.
	Classic = "classic"
	// Default is the profile that is used when none is named.
	Default = Guarded
	// Guarded is the name of the policy with the faults of use mended.
	Guarded = "guarded"
)

//go:embed classic.json
var classicDocument []byte

//go:embed guarded.json
var guardedDocument []byte

// Named returns the built-in profile of the name. It is shared and must not be
// changed.
func Named(name string) (*Profile, bool) {
	switch name {
	case Classic:
		return classicProfile(), true
	case Guarded:
		return guardedProfile(), true
	}
	return nil, false
}

// Document is the document of the built-in profile of the name, for people to
// copy.
func Document(name string) ([]byte, bool) {
	switch name {
	case Classic:
		return bytes.Clone(classicDocument), true
	case Guarded:
		return bytes.Clone(guardedDocument), true
	}
	return nil, false
}

var (
	classicProfile = sync.OnceValue(func() *Profile { return builtIn(classicDocument, classicHash) })
	guardedProfile = sync.OnceValue(func() *Profile { return builtIn(guardedDocument, guardedHash) })
)

// builtIn reads a document that the tests have checked, without the checks:
// they would compile its wording once more at every start.
func builtIn(document []byte, hash string) *Profile {
	p := new(Profile)
	p.hashOnce.Do(func() { p.hash = hash })
	if err := ndjson.Unmarshal(document, p); err != nil {
		panic("profile: built-in document: " + err.Error())
	}
	return p
}

// Load returns a built-in profile by its name, or reads a document by its file
// name: what holds a dot or a path separator is a file name.
func Load(nameOrFile string) (*Profile, error) {
	if p, ok := Named(nameOrFile); ok {
		return p, nil
	}
	if !strings.ContainsAny(nameOrFile, "./\\") {
		return nil, fmt.Errorf("no such profile: there are %s and %s, or name a file", Guarded, Classic)
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
