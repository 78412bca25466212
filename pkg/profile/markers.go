package profile

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"

	"retro/pkg/ndjson"
	"retro/pkg/phrase"
)

// Markers are phrases by which a person corrects an agent, in several
// languages. They propose and never judge: whoever finds one shows it to a
// person.
type Markers struct {
	ids []string // by phrase; "" for what only looks like a marker
	set *phrase.Set
}

// Marker is one marker in a document of markers: phrases of one language.
type Marker struct {
	// ID is lower-case letters, digits and hyphens. Without one the phrases are
	// exceptions: where one of them matches, none that is listed behind it does
	// (`no problem` is no `no`).
	ID string `json:"id"`
	// Language is an ISO 639 code.
	Language string `json:"language"`
	// Border says where the entries must stand apart from words; languages that
	// are written without blanks want none.
	Border  BorderName `json:"border"`
	Entries []string   `json:"entries"`
}

//go:embed markers.json
var markersDocument []byte

// BuiltinMarkers are the markers for English, Russian, Chinese, German, French,
// Spanish, Portuguese, Japanese and Korean.
func BuiltinMarkers() *Markers {
	m, err := ParseMarkers(markersDocument)
	if err != nil {
		panic("profile: built-in markers: " + err.Error())
	}
	return m
}

// LoadMarkers reads a document of markers, which replaces the built-in ones.
func LoadMarkers(file string) (*Markers, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, reason(err))
	}
	m, err := ParseMarkers(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// ParseMarkers reads and checks a document: `{"markers":[...]}`. The error names
// the place in it.
func ParseMarkers(document []byte) (*Markers, error) {
	var doc struct {
		Markers []Marker `json:"markers"`
	}
	if err := ndjson.UnmarshalStrict(document, &doc); err != nil {
		return nil, err
	}
	m := new(Markers)
	var list []phrase.Phrase
	var places []string // of the phrases in the document
	for i, marker := range doc.Markers {
		border, ok := marker.Border.border()
		if !ok {
			return nil, fmt.Errorf("markers[%d].border: must be word, start, end or none", i)
		}
		if marker.ID != "" && !isName(marker.ID) {
			return nil, fmt.Errorf("markers[%d].id: must be lower-case letters, digits and hyphens", i)
		}
		for j, entry := range marker.Entries {
			list = append(list, phrase.Phrase{Text: entry, Border: border})
			places = append(places, fmt.Sprintf("markers[%d].entries[%d]", i, j))
			m.ids = append(m.ids, marker.ID)
		}
	}
	var err error
	if m.set, err = phrase.Compile(list, phrase.Options{Apostrophes: true, Spaces: true}); err != nil {
		return nil, notation(list, places)
	}
	return m, nil
}

// notation finds the phrase that kept the list from being compiled.
func notation(list []phrase.Phrase, places []string) error {
	for i := range list {
		if _, err := phrase.Compile(list[i:i+1], phrase.Options{}); err != nil {
			return fmt.Errorf("%s: not in the notation of phrases", places[i])
		}
	}
	return errors.New("markers: too many phrases")
}

// In lists the ids of the markers in the first limit bytes of a text, each
// once, in the order of the text. What follows still counts for the border.
func (m *Markers) In(text []byte, limit int) []string {
	var found []string
	for match := range m.set.All(text) {
		if match.End > limit {
			break
		}
		if id := m.ids[match.Phrase]; id != "" && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found
}
