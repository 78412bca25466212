package score

import (
	"context"
	"math"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/store"
)

// trialRecord appends decisions to the audit file: one that its flags tell, or
// those of the trial records it reads.
type trialRecord struct {
	cli.Input
	Root             string  `aliases:"mroot" default:"." placeholder:"DIR" help:"The project (default: this directory)."`
	DecidedBy        string  `placeholder:"user|auto" help:"Who took the decision."`
	Agent            string  `help:"The agent whose directive it is. With this flag nothing is read."`
	Directive        *string `placeholder:"TEXT" help:"The directive."`
	Decision         string  `placeholder:"KEEP|REVERT" help:"What was decided."`
	Source           string  `help:"The trial's source."`
	Start            string  `aliases:"trial-start" help:"The trial's start."`
	BaselineMean     string  `placeholder:"X" help:"Mean score of the baseline."`
	BaselineN        string  `name:"baseline-n" placeholder:"N" help:"Sessions of the baseline."`
	BaselineSessions string  `aliases:"baseline-ids" placeholder:"ID,..." help:"Their ids."`
	InTrialMean      string  `placeholder:"X" help:"Mean score in trial."`
	InTrialN         string  `name:"in-trial-n" placeholder:"N" help:"Sessions in trial."`
	InTrialSessions  string  `aliases:"in-trial-ids" placeholder:"ID,..." help:"Their ids."`
	JSON             bool    `name:"json" help:"Also print the rows that were appended."`
}

// Help says how it is used.
func (*trialRecord) Help() string {
	return `Run it after a decision was carried out, once. It appends to .claude/retro/directive-history.jsonl of the main worktree and never shortens that file.

    retro-score trial review --json ... | jq -c 'select(.decision == "KEEP")' | retro-score trial record --decided-by user

Records that are not decided are passed over.`
}

// lockPatience is how long to wait for somebody else's append.
const lockPatience = 5 * time.Second

// Run appends the decisions, or nothing when one of them is not complete.
func (c *trialRecord) Run(env *cli.Env) error {
	if c.DecidedBy != "user" && c.DecidedBy != "auto" {
		return cli.Failf("trial record: --decided-by must be user or auto")
	}
	project, err := store.FindProject(c.Root)
	if err != nil {
		return cli.Failf("%s: %s", c.Root, err)
	}
	rows, err := c.rows(env)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for _, row := range rows {
		if err := project.AppendDecision(ctx, row); err != nil {
			return cli.Failf("%s: %s", project.DirectiveHistory(), err)
		}
		if c.JSON {
			if err := encode(env, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *trialRecord) rows(env *cli.Env) ([]record.TrialDecision, error) {
	if c.Agent == "" && c.Directive == nil && c.Decision == "" {
		return c.read(env)
	}
	decision := record.TrialOutcome(c.Decision)
	switch {
	case c.Agent == "" || c.Directive == nil || *c.Directive == "" || c.Decision == "":
		return nil, cli.Failf("trial record: --agent --directive --decision --decided-by required")
	case decision != record.Keep && decision != record.Revert:
		return nil, cli.Failf("trial record: --decision must be KEEP or REVERT")
	}
	return []record.TrialDecision{c.row(env, &record.Trial{
		Decision: decision, Agent: c.Agent, Directive: *c.Directive, Source: c.Source, TrialStart: c.Start,
		Baseline: side(c.BaselineMean, c.BaselineN, c.BaselineSessions),
		InTrial:  side(c.InTrialMean, c.InTrialN, c.InTrialSessions),
	})}, nil
}

// read takes the decided ones of the trial records on the input.
func (c *trialRecord) read(env *cli.Env) (rows []record.TrialDecision, err error) {
	lost := false
	err = c.Each(env, "retro-score trial record --decided-by user [FILE...]", func(l *cli.Line) error {
		kind, ok := record.KindOf(l.Bytes)
		if ok && kind != record.KindTrial {
			return nil
		}
		var t record.Trial
		switch {
		case !ok || ndjson.Unmarshal(l.Bytes, &t) != nil || t.Agent == "" || t.Directive == "":
			l.Bad("not a trial")
			lost = true
		case t.Decision == record.Keep || t.Decision == record.Revert:
			rows = append(rows, c.row(env, &t))
		}
		return nil
	})
	if err == nil && lost {
		err = cli.Failf("nothing recorded")
	}
	return rows, err
}

func (c *trialRecord) row(env *cli.Env, t *record.Trial) record.TrialDecision {
	return record.TrialDecision{
		TS: env.Now().UTC().Format(time.RFC3339), Agent: valid(t.Agent), Directive: valid(t.Directive), Source: valid(t.Source),
		TrialStart: valid(t.TrialStart), Baseline: listed(t.Baseline), InTrial: listed(t.InTrial),
		Decision: t.Decision, DecidedBy: c.DecidedBy, V: record.Version, Kind: record.KindTrialDecision,
	}
}

// side reads the figures of one side as the original helper does: what is no
// number is zero.
func side(mean, n, sessions string) record.TrialSide {
	s := record.TrialSide{Mean: record.Score(finite(mean)), N: int(finite(n))}
	for _, id := range strings.Split(sessions, ",") {
		if id = strings.TrimSpace(id); id != "" {
			s.Sessions = append(s.Sessions, record.NewSessionID(id))
		}
	}
	return s
}

// listed gives a side without sessions an empty list.
func listed(s record.TrialSide) record.TrialSide {
	if s.Sessions == nil {
		s.Sessions = []record.SessionID{}
	}
	return s
}

func finite(text string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || math.Abs(x) > 1e9 {
		return 0
	}
	return x
}
