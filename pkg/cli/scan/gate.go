package scan

import (
	"os"

	"retro/pkg/cli"
	"retro/pkg/detect"
	"retro/pkg/profile"
	"retro/pkg/store"
)

// gate are the flags of the gate's policy.
type gate struct {
	Profile string `placeholder:"NAME|FILE" help:"The gate's policy: a built-in profile or a document. Default: RETRO_PROFILE, then guarded."`
	Ledger  string `placeholder:"FILE" help:"What the capture hook wrote. Default: FRICTION_LEDGER, then that of the project the working directory is in. RETRO_FORCE_TRANSCRIPT_S2=1 turns it off."`
}

// apply sets the policy in the options.
func (g *gate) apply(env *cli.Env, opt *detect.Options) error {
	name := g.Profile
	if name == "" {
		name = env.Getenv("RETRO_PROFILE")
	}
	if name == "" {
		name = profile.Default
	}
	p, err := profile.Load(name)
	if err != nil {
		return cli.Usagef("profile: %s", err)
	}
	opt.Profile = p
	return g.openLedger(env, opt)
}

// openLedger reads the ledger. One that nobody named may be missing; whatever
// is wrong with it then, as in the original gate, is no reason to complain:
// the transcript stands.
func (g *gate) openLedger(env *cli.Env, opt *detect.Options) error {
	if env.Getenv("RETRO_FORCE_TRANSCRIPT_S2") == "1" {
		return nil
	}
	path := g.Ledger
	if path == "" {
		path = env.Getenv("FRICTION_LEDGER")
	}
	if path == "" {
		project, err := store.FindProject(env.Dir)
		if err != nil {
			return nil
		}
		path = project.Ledger()
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		if g.Ledger != "" {
			env.Diagnostics().Fail("ledger", path, 0, cli.Reason(err))
		}
		return nil
	}
	defer file.Close()
	if opt.Ledger, err = detect.ReadLedger(file); err != nil && g.Ledger != "" {
		env.Diagnostics().Fail("ledger", path, 0, cli.Reason(err))
	}
	return nil
}
