package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// slowCounts is what the slow reader counts in one session: the judge of the
// fast one. It decodes every line whole with the standard library and shares
// no code with the adapter.
type slowCounts struct {
	turns, calls, results, prompts int
	output                         int64
}

type slowRecord struct {
	Type             string
	UUID             string
	IsMeta           bool
	IsSidechain      bool
	IsCompactSummary bool
	IsAPIError       bool `json:"isApiErrorMessage"`
	PromptSource     string
	PlanContent      any
	Origin           struct{ Kind string }
	Message          struct {
		ID      string
		Model   string
		Content any
		Usage   struct {
			Output int64 `json:"output_tokens"`
		}
	}
}

var (
	slowElements = regexp.MustCompile(`(?is)<(system-reminder|command-name|command-message|local-command-caveat|local-command-stdout|local-command-stderr|bash-input|bash-stdout|bash-stderr|task-notification|teammate-message|agent-message|ide_opened_file|ide_selection)(\s[^>]*)?>.*?</\w+[-\w]*>`)
	slowNotices  = regexp.MustCompile(`^(This session is being continued|Implement the following plan:|Stop hook feedback|Caveat: The messages|Base directory for this skill|\[Image: source:|Unknown (slash command|skill|command):|\[Request interrupted by user[^\]]*\]$|Another Claude session sent|<[a-z-]+>)`)
	slowReason   = regexp.MustCompile(`(?s)^The user doesn't want to proceed with this tool use.*the user said:\s*\S`)
)

func slowRead(t *testing.T, path string) (c slowCounts) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ids, calls, results, uuids := map[string]int64{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, line := range bytes.Split(data, []byte("\n")) {
		var r slowRecord
		if json.Unmarshal(line, &r) != nil || r.UUID != "" && uuids[r.UUID] {
			continue
		}
		uuids[r.UUID] = true
		texts := ""
		blocks, _ := r.Message.Content.([]any)
		for _, b := range blocks {
			block, _ := b.(map[string]any)
			switch block["type"] {
			case "tool_use":
				calls[block["id"].(string)] = true
			case "tool_result":
				results[block["tool_use_id"].(string)] = true
				if text, _ := block["content"].(string); block["is_error"] == true && !r.IsSidechain && slowReason.MatchString(text) && !strings.Contains(text, "wants to clarify") {
					c.prompts++
				}
			case "text":
				texts += block["text"].(string) + "\n"
			}
		}
		if s, ok := r.Message.Content.(string); ok {
			texts = s
		}
		switch {
		case r.Type == "assistant" && !r.IsAPIError && r.Message.Model != "<synthetic>":
			ids[r.Message.ID] = r.Message.Usage.Output
		case r.Type == "user" && slowIsPrompt(&r, texts):
			c.prompts++
		}
	}
	for _, output := range ids {
		c.turns++
		c.output += output
	}
	c.calls, c.results = len(calls), len(results)
	return c
}

func slowIsPrompt(r *slowRecord, text string) bool {
	if r.IsMeta || r.IsSidechain || r.IsCompactSummary || r.PromptSource == "system" || r.PlanContent != nil || r.Origin.Kind != "" && r.Origin.Kind != "human" {
		return false
	}
	text = strings.TrimSpace(slowElements.ReplaceAllString(text, ""))
	text = strings.TrimSpace(strings.NewReplacer("<command-args>", "", "</command-args>", "").Replace(text))
	return text != "" && !slowNotices.MatchString(text)
}

// TestAgreesWithSlowReader checks that every turn, prompt and tool call of real
// sessions is counted once.
func TestAgreesWithSlowReader(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/cases/labelled/*.jsonl")
	if len(files) == 0 {
		t.Skip("no real sessions at ../shared/cases/labelled")
	}
	for _, path := range files {
		var got slowCounts
		steering := 0
		_, err := AtPath(path, true).Read(Handler{
			Block: func(b *Block) {
				switch b.Kind {
				case ToolCall:
					got.calls++
				case ToolResult:
					got.results++
				case Prompt:
					if b.Prompt.Steering {
						steering++
					} else if len(b.Text) > 0 {
						got.prompts++
					}
				}
			},
			Turn: func(turn *Turn) {
				got.output += turn.Usage.Output
				if !turn.Late {
					got.turns++
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := slowRead(t, path); got != want {
			t.Errorf("%s: got %+v, want %+v (and %d typed ahead)", filepath.Base(path), got, want, steering)
		}
	}
}
