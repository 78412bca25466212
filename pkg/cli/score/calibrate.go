package score

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/score"
)

// calibrateCommand holds a stream against labels.
type calibrateCommand struct {
	cli.Input
	Labels  string `required:"" placeholder:"FILE" help:"What people say of the sessions."`
	Profile string `placeholder:"NAME|FILE" help:"Judge the weights of this profile. Default: the one under which the stream was scanned."`
	JSON    bool   `name:"json" help:"Print records instead of a table."`
}

// Help says what labels are.
func (*calibrateCommand) Help() string {
	return `Reads what retro-scan --candidates writes, with the labels of people who read the sessions, and prints how often the gate is right: precision, recall and how many smooth sessions are flagged, with 95 % Wilson intervals, F1 with a bootstrap interval; then cross-validated, at other thresholds, without each signal and each feature; last, the weights that the labels speak for. Nothing is changed.

The labels are one JSON object by session id:

  {"SESSION": {"truth": "friction", "prompts": ["UUID", ...], "pushback": [{"uuid": "UUID", "readers": 2}, ...], "fold": "sam"}}

truth is friction (worth a look back), smooth, or unclear, which is left out of precision and recall; sessions without it are unclear. prompts are the ids of the prompts that somebody judged, in their order in the session, and pushback those of them in which the person pushes back on something that the agent did; readers is how many of two readers saw that: 1 leaves the prompt out, 2 or none counts. prompts and pushback may be missing. fold names what the session belongs together with in cross-validation, such as its developer; without it that is the project of its session record. Other keys are passed over.

Prompts are matched by their ids. The row "window" also gives a judged prompt the refusals and the words typed while the agent worked that stand before it since the judged one before.`
}

// Run measures.
func (c *calibrateCommand) Run(env *cli.Env) error {
	document, err := os.ReadFile(c.Labels)
	if err != nil {
		return cli.Failf("%s: %s", c.Labels, cli.Reason(err))
	}
	labels, err := score.ReadLabels(document)
	if err != nil {
		return cli.Failf("%s: %s", c.Labels, err)
	}
	var weights *profile.Profile
	if c.Profile != "" {
		if weights, err = profile.Load(c.Profile); err != nil {
			return cli.Usagef("profile: %s", err)
		}
	}
	calibration := score.NewCalibration(labels, weights)
	err = c.Each(env, "retro-scan --candidates ... | retro-score calibrate --labels FILE", func(l *cli.Line) error {
		return addLine(calibration, l)
	})
	if err != nil {
		return err
	}
	return c.print(env, calibration)
}

// addLine takes a line of the stream; only two kinds of it matter.
func addLine(calibration *score.Calibration, l *cli.Line) error {
	kind, ok := record.KindOf(l.Bytes)
	switch {
	case !ok:
		l.Bad("not a record")
		return nil
	case kind != record.Friction && kind != record.Candidate && kind != record.Session:
		return nil
	}
	sig := new(record.Signal)
	if ndjson.Unmarshal(l.Bytes, sig) != nil {
		l.Bad("not a record of its kind")
		return nil
	}
	if err := calibration.Add(sig); err != nil {
		return cli.Usagef("%s:%d: %s", l.File, l.Number, err)
	}
	return nil
}

func (c *calibrateCommand) print(env *cli.Env, calibration *score.Calibration) error {
	size := calibration.Size()
	if size.Rough+size.Smooth == 0 {
		return cli.Failf("no session of the stream is labelled friction or smooth")
	}
	if n := calibration.Missing(); n > 0 {
		env.Diagnostics().Warn("missing", c.Labels, 0, fmt.Sprintf("%d labelled sessions are not in the stream", n))
	}
	if n := calibration.Unlabelled; n > 0 {
		env.Diagnostics().Warn("unlabelled", c.Labels, 0, fmt.Sprintf("%d sessions of the stream have no label", n))
	}
	rows := calibration.Rows()
	if !c.JSON {
		return writeCalibration(env.Stdout, size, rows)
	}
	w := ndjson.NewWriter(env.Stdout)
	for i := range rows {
		if err := w.Encode(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeCalibration prints the table that a person reads.
func writeCalibration(out io.Writer, n score.Size, rows []record.Calibration) error {
	fmt.Fprintf(out, "profile %s, threshold %s, pushback %s\n", rows[0].Profile, rows[0].Threshold, rows[0].Pushback)
	fmt.Fprintf(out, "%d sessions: %d friction, %d smooth, %d unclear; %d folds\n", n.Rough+n.Smooth+n.Unclear, n.Rough, n.Smooth, n.Unclear, n.Folds)
	fmt.Fprintf(out, "%d prompts: %d pushback, %d left open\n", n.Prompts, n.Pushback, n.Open)
	for _, part := range []struct {
		title string
		of    func(*record.Calibration) *record.Accuracy
	}{
		{"SESSIONS", func(r *record.Calibration) *record.Accuracy { return r.Sessions }},
		{"PROMPTS", func(r *record.Calibration) *record.Accuracy { return r.Prompts }},
	} {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "\n%s\tprecision\trecall\tfalse positive\tF1\tunclear flagged\n", part.title)
		for i := range rows {
			if a := part.of(&rows[i]); a != nil {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d/%d\n", rowTitle(&rows[i]), share(a.Precision), share(a.Recall), share(a.FalsePositive),
					interval(a.F1), a.Unclear.Count, a.Unclear.N)
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return writeProposal(out, rows)
}

// rowTitle says what was measured.
func rowTitle(r *record.Calibration) string {
	switch measure, name := r.Measure.String(), r.Name.String(); {
	case measure == "threshold":
		return "threshold " + r.Threshold.String()
	case measure == "pushback":
		return "pushback " + r.Pushback.String()
	case measure == "without-feature":
		return "without " + name
	case name != "":
		return measure + " " + name
	default:
		return measure
	}
}

func share(r record.Rate) string {
	if r.Rate == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f [%.2f-%.2f] %d/%d", *r.Rate, *r.Low, *r.High, r.Count, r.N)
}

func interval(f *record.F1) string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%.2f [%.2f-%.2f]", float64(f.Value), float64(f.Low), float64(f.High))
}

// writeProposal says which weights the labels speak for, and whether to trust
// it: weights that do not hold on folds they were not fitted on are noise.
func writeProposal(out io.Writer, rows []record.Calibration) error {
	last := &rows[len(rows)-1]
	if len(last.Weights) == 0 {
		_, err := fmt.Fprint(out, "\nProposal: leave the weights as they are.\n")
		return err
	}
	var b strings.Builder
	for _, w := range last.Weights {
		name := w.Signal.String()
		if !w.Feature.IsZero() {
			name += "." + w.Feature.String()
		}
		fmt.Fprintf(&b, "  %s %s -> %s\n", name, w.Was, w.Weight)
	}
	_, err := fmt.Fprintf(out, "\nProposal, fitted on all of these labels; the row \"cross-validated weights\" says what is left of it elsewhere:\n%s", b.String())
	return err
}
