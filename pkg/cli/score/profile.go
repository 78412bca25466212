package score

import (
	"retro/pkg/cli"
	"retro/pkg/profile"
)

// profileCommand prints a built-in profile.
type profileCommand struct {
	Name string `arg:"" optional:"" default:"guarded" help:"The profile: guarded (the default) or classic."`
}

// Help says what the document is for.
func (*profileCommand) Help() string {
	return `Prints the document of a built-in profile: weights, thresholds, guards and words. Copy it, give it another name, change it, and name the file with retro-scan --profile FILE and retro-score --profile FILE.`
}

// Run prints the document.
func (c *profileCommand) Run(env *cli.Env) error {
	document, ok := profile.Document(c.Name)
	if !ok {
		return cli.Usagef("no such profile: there are %s and %s", profile.Guarded, profile.Classic)
	}
	_, err := env.Stdout.Write(document)
	return err
}
