package profile

import (
	"slices"
	"strings"
	"testing"
)

func TestMarkers(t *testing.T) {
	m := BuiltinMarkers()
	for _, c := range []struct{ text, want string }{
		{"No, that’s wrong. I told you to use the other file", "en-no en-wrong en-told"},
		{"STOP DOING that, revert it", "en-stop en-undo"},
		{"why did you delete the tests?", "en-why"},
		{"you didn't run the tests", "en-missed"},
		{"it still doesn't work", "en-still"},
		{"нет, не так: откати", "ru-no ru-wrong ru-undo"},
		{"Я же просил не трогать", "ru-told"},
		{"不对，我说的是另一个文件，改回去", "zh-no zh-told zh-undo"},
		{"これは違う、元に戻して", "ja-no ja-undo"},
		{"아니, 되돌려 주세요", "ko-no ko-undo"},
		{"Nein, das ist falsch, mach das rückgängig", "de-no de-wrong de-undo"},
		{"Non, ce n'est pas ça. Annule", "fr-no fr-wrong fr-undo"},
		{"no es eso, te dije que no toques ese archivo", "es-no es-told es-stop"},
		{"não, está errado, desfaz", "pt-no pt-wrong pt-undo"},

		{"no problem, go on", ""},
		{"No, thanks", ""},
		{"no, that's fine", ""},
		{"no idea", ""},
		{"what's wrong with the build?", ""},
		{"I was wrong, my mistake", ""},
		{"add a stop button and an undo stack", ""},
		{"Don't worry about it", ""},
		{"now show the nodes and the notes", ""},
		{"нет, спасибо", ""},
		{"что не так с тестом?", ""},
		{"почему тест падает?", ""},
		{"对不对？", ""},
		{"没错，继续", ""},
		{"添加错误处理", ""},
		{"間違いない", ""},
		{"違いを説明して", ""},
		{"아니면 이걸로 해줘", ""},
		{"nein danke", ""},
		{"non merci", ""},
		{"no gracias", ""},
		{"the novel ends and stops", ""},
		{"please add a test for the parser", ""},
		{"fix the incorrectly named field", ""},
	} {
		got := strings.Join(m.In([]byte(c.text), len(c.text)), " ")
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestMarkersEndAtTheLimit(t *testing.T) {
	m := BuiltinMarkers()
	text := []byte("that is wrongly put")
	if got := m.In(text, len("that is wrong")); got != nil {
		t.Errorf("a word that the limit cuts: got %q, want none", got)
	}
	text = []byte("that is wrong, that is wrong. Stop it")
	if got := m.In(text, len("that is wrong, that is wrong.")); !slices.Equal(got, []string{"en-wrong"}) {
		t.Errorf("got %q, want one en-wrong", got)
	}
}

func TestParseMarkers(t *testing.T) {
	for text, want := range map[string]string{
		`{"markers":[{"id":"x","language":"en","border":"word","entries":["a"]}]}`: "",
		`{"markers":[{"id":"X y","border":"word"}]}`:                               "markers[0].id: must be lower-case letters, digits and hyphens",
		`{"markers":[{"id":"x","border":"both"}]}`:                                 "markers[0].border: must be word, start, end or none",
		`{"markers":[{"id":"x","border":"word","entries":["a","(b"]}]}`:            "markers[0].entries[1]: not in the notation of phrases",
		`{"marker":[]}`: "marker: unknown key",
	} {
		_, err := ParseMarkers([]byte(text))
		if got := errorText(err); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
