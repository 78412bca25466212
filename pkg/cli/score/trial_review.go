package score

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/ndjson"
	"retro/pkg/profile"
	"retro/pkg/record"
	"retro/pkg/score"
	"retro/pkg/store"
	"retro/pkg/transcript"
	"retro/pkg/trial"
)

// trialReview judges the trials of a project by the verdicts of its sessions.
type trialReview struct {
	cli.Input
	Root              string   `aliases:"mroot" default:"." placeholder:"DIR" help:"The project, whose .claude/memory/AGENT/directives.md are reviewed (default: this directory)."`
	Directives        []string `placeholder:"FILE" sep:"none" help:"Review this instruction file too, any line of it; may be repeated. The agent is the name of its folder."`
	Project           string   `placeholder:"DIR" help:"Scan and score the sessions of this project instead of reading verdicts."`
	ProjectsRoot      string   `placeholder:"DIR" help:"Where transcripts are kept (default: $$CLAUDE_CONFIG_DIR/projects, else ~/.claude/projects)."`
	Profile           string   `placeholder:"NAME|FILE" help:"The gate's policy for --project. Default: RETRO_PROFILE, then the default profile."`
	SessionScoresFile string   `placeholder:"FILE" help:"Read rows of session id, score and time in seconds, with tabs between, instead of verdicts."`
	Rule              string   `enum:"rank,mean" default:"rank" help:"rank: a Mann-Whitney test of the score per turn, with an interval. mean: the original helper's, the lower mean of two sessions a side wins and a tie reverts."`
	MinN              int      `name:"min-n" placeholder:"N" help:"Sessions a side before anything is decided (default: 5, with --rule mean 2)."`
	Alpha             float64  `default:"0.05" placeholder:"P" help:"The highest p that decides (${default})."`
	Repeated          bool     `help:"For a review that is run every night until it decides: look only when the window has passed once, twice, four times and so on, each time with a quarter of alpha, so that chance does not get a try a night."`
	Resamples         int      `default:"10000" placeholder:"N" help:"Resamples of the bootstrap interval (${default})."`
	Seed              uint64   `placeholder:"N" help:"Draw the interval from another seed; the same seed gives the same bytes."`
	Today             string   `placeholder:"DAY" help:"The day that windows of days are counted to, YYYY-MM-DD (default: today, UTC)."`
	JSON              bool     `name:"json" help:"Print a record for every trial, also for one that is deferred."`
	Tee               bool     `help:"Copy every input line through, too; implies --json."`
}

// Help says what is printed.
func (*trialReview) Help() string {
	return `Reads verdicts (of retro-score) and prints one row for each trial that was judged, with tabs between the cells: outcome, agent, directive, source, start, baseline mean and n, in-trial mean and n, baseline sessions, in-trial sessions, window; with --rule rank also measure, difference, low and high end of its interval, p, reason. A trial whose window is not over, or that has too few sessions, is deferred and named on standard error.

The outcome is a proposal. Nothing is changed, and no instruction file is ever written.`
}

// Run reviews.
func (c *trialReview) Run(env *cli.Env) error {
	opt, err := c.options(env)
	if err != nil {
		return err
	}
	directives, err := c.directives(env)
	if err != nil {
		return err
	}
	sessions, err := c.sessions(env)
	if err != nil {
		return err
	}
	for _, d := range directives {
		if err := c.print(env, trial.Review(d, sessions, opt)); err != nil {
			return err
		}
	}
	return nil
}

func (c *trialReview) options(env *cli.Env) (trial.Options, error) {
	opt := trial.Options{Rule: trial.Rule(c.Rule), MinN: c.MinN, Alpha: c.Alpha, Repeated: c.Repeated, Resamples: c.Resamples, Seed: c.Seed}
	switch {
	case !(c.Alpha > 0 && c.Alpha < 1):
		return opt, cli.Failf("--alpha must be between 0 and 1")
	case c.MinN < 0:
		return opt, cli.Failf("--min-n must not be negative")
	case c.Resamples < 1 || c.Resamples > 1_000_000:
		return opt, cli.Failf("--resamples must be 1 to 1000000")
	}
	var err error
	opt.Today, err = day(c.Today, env)
	return opt, err
}

// directives finds the trials: those of the team agents in their order, then
// those of the files that were named.
func (c *trialReview) directives(env *cli.Env) ([]trial.Directive, error) {
	project, err := store.FindProject(c.Root)
	if err != nil {
		return nil, cli.Failf("%s: %s", c.Root, err)
	}
	var found []trial.Directive
	for _, agent := range trial.Agents {
		path := filepath.Join(project.Main(), ".claude", "memory", agent, "directives.md")
		text, err := os.ReadFile(path)
		if err == nil {
			found = append(found, trial.Directives(agent, string(text), true, c.malformed(env, path))...)
		} else if !os.IsNotExist(err) {
			env.Diagnostics().Fail("open", path, 0, cli.Reason(err))
		}
	}
	for _, path := range c.Directives {
		text, err := os.ReadFile(path)
		if err != nil {
			env.Diagnostics().Fail("open", path, 0, cli.Reason(err))
			continue
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			absolute = path
		}
		agent := filepath.Base(filepath.Dir(absolute))
		found = append(found, trial.Directives(agent, string(text), false, c.malformed(env, path))...)
	}
	return found, nil
}

func (c *trialReview) malformed(env *cli.Env, path string) func(int, error) {
	return func(line int, err error) {
		env.Diagnostics().Warn("annotation", path, line, err.Error()+", taken for permanent")
	}
}

// sessions are what the trials are judged by, from one of three places.
func (c *trialReview) sessions(env *cli.Env) ([]trial.Session, error) {
	switch {
	case c.Project != "":
		return c.scan(env)
	case c.SessionScoresFile != "":
		return readScores(c.SessionScoresFile)
	}
	var sessions []trial.Session
	out := ndjson.NewWriter(env.Stdout)
	err := c.Each(env, "retro-score trial review [FILE...] or --project DIR", func(l *cli.Line) error {
		if c.Tee {
			if err := l.Copy(out); err != nil {
				return err
			}
		}
		kind, ok := record.KindOf(l.Bytes)
		if !ok {
			l.Bad("not a record")
		}
		if kind != record.KindVerdict {
			return nil
		}
		var v record.Verdict
		if err := ndjson.Unmarshal(l.Bytes, &v); err != nil || !(v.Score >= 0 && v.Score <= maxScore) {
			l.Bad("not a verdict")
			return nil
		}
		sessions = appendVerdict(sessions, &v)
		return nil
	})
	return sessions, err
}

// maxScore bounds what is taken for a score of a session.
const maxScore = 1e9

// appendVerdict takes a session over, unless its verdict is that it could not
// be judged: that is no calm session.
func appendVerdict(sessions []trial.Session, v *record.Verdict) []trial.Session {
	if v.Error != "" {
		return sessions
	}
	return append(sessions, trial.Session{ID: v.SessionID, Score: float64(v.Score), Turns: v.Turns,
		Started: v.Started.Time(), Ended: v.Ended.Time()})
}

// inProgress is how long a session must have been left alone to count, as with
// the original helper.
const inProgress = time.Minute

// scan reads and scores the sessions of --project.
func (c *trialReview) scan(env *cli.Env) ([]trial.Session, error) {
	root := c.ProjectsRoot
	if root == "" {
		root = transcript.ProjectsRoot(env.Getenv("CLAUDE_CONFIG_DIR"), env.Home)
	}
	dir, err := filepath.Abs(c.Project)
	if err != nil {
		return nil, cli.Failf("%s: %s", c.Project, cli.Reason(err))
	}
	finder := transcript.NewFinder(true)
	finder.Unreadable = func(path string, err error) { env.Diagnostics().Fail("open", path, 0, cli.Reason(err)) }
	picker := transcript.Picker{MinAge: inProgress, Now: env.Now(), NotRetro: true}
	picked, _ := picker.Pick(finder.Project(root, dir))
	var policy *profile.Profile
	if name := first(c.Profile, env.Getenv("RETRO_PROFILE")); name != "" {
		if policy, err = profile.Load(name); err != nil {
			return nil, cli.Failf("profile: %s", err)
		}
	}
	var sessions []trial.Session
	scorer := score.New(score.Options{})
	for _, s := range picked {
		opt := &detect.Options{Profile: policy, Until: s.Cut}
		if err := detect.Session(s, opt, func(sig *record.Signal) {
			if v, err := scorer.Add(sig); err == nil && v != nil {
				sessions = appendVerdict(sessions, v)
			}
		}); err != nil {
			env.Diagnostics().Fail("open", s.Main.Path, 0, cli.Reason(err))
		}
	}
	return sessions, nil
}

// readScores reads the original helper's table. Rows without a number or a
// time fall out, as they do there.
func readScores(path string) ([]trial.Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cli.Failf("trial review: session-scores-file not found: %s", path)
	}
	defer f.Close()
	var sessions []trial.Session
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) < 3 || strings.HasPrefix(cells[0], "#") {
			continue
		}
		value, err := strconv.ParseFloat(cells[1], 64)
		seconds, timeErr := strconv.ParseUint(strings.TrimSpace(cells[2]), 10, 40)
		if err != nil || timeErr != nil || !(value >= 0 && value <= maxScore) {
			continue
		}
		at := time.Unix(int64(seconds), 0)
		sessions = append(sessions, trial.Session{ID: record.NewSessionID(cells[0]), Score: value, Started: at, Ended: at})
	}
	return sessions, nil
}

// print prints a trial as a row, or as a record. The lines for deferred trials
// are the original helper's.
func (c *trialReview) print(env *cli.Env, t record.Trial) error {
	if c.JSON || c.Tee {
		t.Directive, t.Agent = valid(t.Directive), valid(t.Agent)
		return encode(env, t)
	}
	if trial.Deferred(t) {
		fmt.Fprintf(env.Stderr, "# trial-review: defer agent=%s reason=%s %s\n", t.Agent, t.Reason, deferral(t))
		return nil
	}
	cells := []any{t.Decision, t.Agent, t.Directive, t.Source, t.TrialStart,
		fixed(t.Baseline.Mean), t.Baseline.N, fixed(t.InTrial.Mean), t.InTrial.N,
		list(t.Baseline.Sessions), list(t.InTrial.Sessions), t.ReviewAfter}
	for _, m := range t.Measures {
		if m.Decides {
			cells = append(cells, m.Name, number(m.Difference), number(m.Low), number(m.High), number(m.P), t.Reason)
		}
	}
	return printRow(env, cells...)
}

// deferral is the rest of the line for a trial that is not judged.
func deferral(t record.Trial) string {
	if t.Reason.String() == "insufficient-sample" {
		return fmt.Sprintf("baseline_n=%d in_trial_n=%d directive=%s", t.Baseline.N, t.InTrial.N, firstBytes(t.Directive, 60))
	}
	return fmt.Sprintf("start=%s review-after=%s", t.TrialStart, t.ReviewAfter)
}

// firstBytes cuts s to n bytes at most, between characters.
func firstBytes(s string, n int) string {
	s = valid(s)
	for i := range s {
		if i > n {
			return strings.TrimSuffix(s[:n], "\uFFFD")
		}
	}
	return s
}

func fixed(s record.Score) string { return strconv.FormatFloat(float64(s), 'f', 4, 64) }

func number(s record.Score) string { return strconv.FormatFloat(float64(s), 'f', -1, 64) }

func list(ids []record.SessionID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return strings.Join(texts, ",")
}
