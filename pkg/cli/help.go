package cli

import (
	"slices"

	"github.com/alecthomas/kong"
)

// help prints the page of --help. The job of a binary is its default command;
// the flag library would show that as one command among others or, hidden, not
// at all. Its flags and arguments are those of the binary, so the page shows
// them as such, and the other commands below.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	app := ctx.Model
	job := app.DefaultCmd
	if selected := ctx.Selected(); job == nil || selected != nil && selected != job {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	ctx.Path = ctx.Path[:1]
	app.Flags = append(slices.Clone(app.Flags), job.Flags...)
	app.Positional = job.Positional
	app.Children = slices.DeleteFunc(slices.Clone(app.Children), func(n *kong.Node) bool { return n == job })
	return kong.DefaultHelpPrinter(options, ctx)
}
