package record

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"retro/pkg/ndjson"
)

// slowSignal reads a signal with the JSON library alone: the judge of
// UnmarshalJSON.
func slowSignal(data []byte) (s Signal, err error) {
	type plain Signal
	wire := struct {
		*plain
		Evidence ndjson.Raw `json:"evidence"`
	}{plain: (*plain)(&s)}
	if err := ndjson.Unmarshal(data, &wire); err != nil {
		return s, err
	}
	s.Evidence = evidenceOf(s.Kind, s.Detector.String())
	if s.Evidence == nil || len(wire.Evidence) == 0 {
		return s, nil
	}
	return s, ndjson.Unmarshal(wire.Evidence, s.Evidence)
}

// signalLines are records of all kinds, sound ones and odd ones.
func signalLines(t testing.TB) (lines [][]byte) {
	t.Helper()
	for _, empty := range ruleEvidences() {
		line, err := ndjson.Marshal(NewRuleSignal(empty()))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	for _, line := range []string{
		`{"v":1,"ts":"2026-04-22T20:56:59.022Z","tool":"claude-code","session_id":"12d77e33-a1f8-4c78-a462-3538a6f7b04f","kind":"session","rule":"none","detector":"session","confidence":"deterministic","origin":"transcript","evidence":{"started":"2026-04-22T16:33:59.480Z","ended":"2026-04-22T20:56:59.022Z","active_days":["2026-04-22"],"zone":"UTC","turns":990,"subagent_turns":0,"prompts":120,"message_count":3308,"usage":{"input":20343,"output":444076,"cache_read":67778033,"cache_create":2012571},"start_context":36760,"tools_used":[{"name":"Bash","count":438},{"name":"Edit","count":195},{"name":"Grep","count":104},{"name":"Read","count":292},{"name":"Task","count":23},{"name":"TodoWrite","count":51},{"name":"WebFetch","count":24},{"name":"Write","count":32},{"name":"mcp__browser__screenshot","count":3}],"tool_calls_total":1162,"tool_errors":64,"unresolved":0,"edited_files":27,"skills_invoked":[],"compactions":3,"interrupts":0,"rejections":0,"api_errors":0,"code_reads":288,"graph_init":0,"graph_explore":0,"recalls":0,"opportunities":[{"name":"generated-files","count":227},{"name":"scope","count":227},{"name":"user-correction","count":115}],"graph_db_present":false,"project":"missing-however0-f1d14e8d","branch_first":"main","branch_last":"main","agent_version":"2.1.126","model":"claude-haiku-4-5-20251001","interactive":true,"profile":"guarded","config_hash":"7c5ae3e2d8271ed0","source_bytes":19616887,"files":1},"id":"df5aaa9f903e3269"}`,
		`{"v":1,"ts":"2026-04-22T16:41:54.076Z","tool":"claude-code","session_id":"12d77e33-a1f8-4c78-a462-3538a6f7b04f","kind":"friction","rule":"none","detector":"explicit-reject","confidence":"heuristic","origin":"transcript","evidence":{"signal":"S1","anchor":"6962af71-73db-44c3-adfa-f920bb752ac1","turn":23,"features":["negation","after-change","redo"]},"id":"e5c3dbfb21e6ac41"}`,
		`{}`, `[]`, `null`, ``, `{"v":2}`, `{"v":"1"}`, `{"v":null}`, `{"kind":"friction","detector":"terse-follow-up"}`,
		`{"kind":"friction","evidence":{"signal":"S1","anchor":{"a":[1]},"turn":3}} `, `{"kind":"friction","evidence":{"signal":"S 1"}}`,
		`{"kind":"friction","evidence":null}`, `{"evidence":{"signal":"S1","anchor":"\u00e9"},"kind":"friction"}`, `{"evidence":{"signal":"S1","anchor":"é"},"kind":"friction"}`,
		`{"kind":"fric\u0074ion","tool":"x","rule":"a b","detector":null,"origin":"hook","confidence":"heuristic","error":"bad \"x\""}`,
		`{"kind":"session","evidence":{"started":"2026-02-29T00:00:00.000Z"}}`, `{"kind":"session","ts":"2026-02-28T23:59:59.999Z","evidence":{"active_days":["2026-02-28"],"interactive":true}}`,
		`{"kind":7}`, `{"ts":"yesterday"}`, `{"ts":1}`, `{"ts":"2026-03-01T08:00:00"}`, `{"ts":"2026-03-01T08:00:00+02:00"}`, `{"session_id":"a b/c"}`, `{"session_id":""}`, `{"session_id":null}`,
		`{"id":"ABC"}`, `{"id":"abcdef","id":"abcdef12"}`, `{"kind":"session"} x`, `{"kind":"session",}`, `{"kind":"violation","detector":"scope","evidence":{"turn":1}}`, `{"kind":"violation","detector":"unheard","evidence":{"turn":1}}`,
	} {
		lines = append(lines, []byte(line))
	}
	return lines
}

func TestSignalInPlace(t *testing.T) {
	read := 0
	for _, line := range signalLines(t) {
		want, wantErr := slowSignal(line)
		var got Signal
		err := got.UnmarshalJSON(line)
		if string(line) == "null" || strings.TrimSpace(string(line)) == "" { // no signal, whatever the library says
			wantErr = errRefused
		}
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %v, want %v", line, err, wantErr)
			continue
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", line, got, want)
		}
		if err == nil && got.Evidence != nil {
			read++
		}
	}
	if read < 10 {
		t.Errorf("%d signals with evidence, want more", read)
	}
}

func BenchmarkSignal(b *testing.B) {
	lines := signalLines(b)
	for name, read := range map[string]func([]byte){
		"library": func(line []byte) { slowSignal(line) },
		"in-place": func(line []byte) {
			var s Signal
			s.UnmarshalJSON(line)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, line := range lines {
					read(line)
				}
			}
		})
	}
}

// What is a timestamp by its digits is one by the calendar.
func TestUsualTimestamps(t *testing.T) {
	usual := 0
	const stamp = "2026-02-28T23:59:59.999Z"
	for i := range stamp {
		for _, c := range "0123456789-T:.Z /\x00" {
			s := stamp[:i] + string(c) + stamp[i+1:]
			_, err := time.Parse(timestampForm, s)
			if isTimestamp(s) != (err == nil) {
				t.Errorf("isTimestamp(%q) = %v, and time.Parse: %v", s, err != nil, err)
			}
			if err == nil && isUsualTimestamp(s) {
				usual++
			}
		}
	}
	if usual < 50 {
		t.Errorf("%d timestamps are usual, want more", usual)
	}
}
