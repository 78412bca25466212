package repo

import (
	"retro/pkg/record"
)

// The commands that a row may suggest. Each does no more than the evidence
// allows, also when it is pasted long after: what it rests on is checked again
// by git when it runs.

// command is git in a directory.
func command(dir string, args ...string) record.Command {
	c, _ := record.NewCommand(append([]string{"git", "-C", dir}, args...)...)
	return c
}

// deleteMerged removes a branch that the base reaches. Git's own check asks
// the upstream or HEAD, which need not have it; then the base is asked first.
func deleteMerged(dir, branch, base string, gitWouldAgree bool) record.Command {
	if gitWouldAgree {
		return command(dir, "branch", "-d", "--", branch)
	}
	return command(dir, "merge-base", "--is-ancestor", headsPrefix+branch, base).
		And(command(dir, "branch", "-D", "--", branch))
}

// deleteAt removes a branch while its tip is the one that was looked at:
// update-ref to the same value fails when it is not.
func deleteAt(dir, branch, tip string) record.Command {
	return command(dir, "update-ref", headsPrefix+branch, tip, tip).
		And(command(dir, "branch", "-D", "--", branch))
}

// deleteRemote removes a branch of a remote while its tip there is the one
// that was looked at: that is what the lease says.
func deleteRemote(dir, remote, branch, tip string) record.Command {
	return command(dir, "push", "--force-with-lease="+branch+":"+tip, "--delete", "--", remote, branch)
}

// showWork lists what the base does not have.
func showWork(dir, base, ref string) record.Command {
	return command(dir, "log", "--oneline", base+".."+ref, "--")
}
