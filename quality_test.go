package retro

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"retro/pkg/detect"
	"retro/pkg/record"
	"retro/pkg/score"
	"retro/pkg/transcript"
)

// TestQuality holds the default profile to the floor that it must not sink
// below on sessions that two readers judged: as it is, and with thresholds
// that were chosen on other projects' sessions.
func TestQuality(t *testing.T) {
	const dir = "../shared/cases/labelled"
	document, err := os.ReadFile(filepath.Join(dir, "labels.json"))
	if err != nil {
		t.Skip("no labelled sessions in " + dir)
	}
	labels, err := score.ReadLabels(document)
	if err != nil {
		t.Fatal(err)
	}
	calibration := score.NewCalibration(labels, nil)
	for id := range labels {
		data, err := os.ReadFile(filepath.Join(dir, id+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		s := transcript.FromStream(id, id, bytes.NewReader(data))
		err = detect.Session(s, &detect.Options{Candidates: true}, func(sig *record.Signal) {
			if err := calibration.Add(sig); err != nil {
				t.Fatal(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := calibration.Missing(); n > 0 {
		t.Errorf("%d labelled sessions were not judged", n)
	}
	checked := 0
	for _, row := range calibration.Rows() {
		name := row.Measure.String() + row.Name.String()
		if name != "all" && name != "cross-validatedthresholds" {
			continue
		}
		checked++
		s, p := row.Sessions, row.Prompts
		if *s.Precision.Rate < 0.85 || *s.Recall.Rate < 0.85 || *s.FalsePositive.Rate > 0.05 {
			t.Errorf("%s: sessions: precision %v, recall %v, smooth flagged %v", name, *s.Precision.Rate, *s.Recall.Rate, *s.FalsePositive.Rate)
		}
		if *p.Precision.Rate < 0.70 || *p.Recall.Rate < 0.45 {
			t.Errorf("%s: prompts: precision %v, recall %v", name, *p.Precision.Rate, *p.Recall.Rate)
		}
	}
	if checked != 2 {
		t.Errorf("checked %d rows, want 2", checked)
	}
}
