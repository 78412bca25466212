package store

import (
	"os"
	"path/filepath"
	"strings"
)

// findWorkTree finds the working tree that dir lies in and the main working
// tree of its repository; both are dir when there is no repository.
func findWorkTree(dir string) (root, main string) {
	for at := dir; ; {
		git := filepath.Join(at, ".git")
		if info, err := os.Lstat(git); err == nil {
			switch {
			case info.Mode().IsRegular():
				return at, mainWorkTree(at, git)
			case exists(filepath.Join(git, "HEAD")):
				return at, at
			}
		}
		parent := filepath.Dir(at)
		if parent == at {
			return dir, dir
		}
		at = parent
	}
}

// mainWorkTree follows the `.git` file of the working tree root. Only a linked
// working tree has a `commondir` beside its HEAD; a submodule or a repository
// with its git folder elsewhere has none and is a main working tree itself.
func mainWorkTree(root, gitFile string) string {
	gitDir, ok := strings.CutPrefix(readLine(gitFile), "gitdir:")
	if !ok {
		return root
	}
	gitDir = join(root, strings.TrimSpace(gitDir))
	common := readLine(filepath.Join(gitDir, "commondir"))
	if common == "" {
		return root
	}
	common = join(gitDir, common)
	if workTree := coreWorkTree(filepath.Join(common, "config")); workTree != "" {
		return realPath(join(common, workTree), root)
	}
	// `.git` of the main working tree, or a bare repository that all working
	// trees are linked to: its neighbours share the folder above it.
	return realPath(filepath.Dir(common), root)
}

// coreWorkTree reads core.worktree out of a git configuration: a submodule's
// git folder lies in that of its superproject and names its working tree so.
func coreWorkTree(config string) string {
	text, err := os.ReadFile(config)
	if err != nil {
		return ""
	}
	section := ""
	for line := range strings.SplitSeq(string(text), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			continue
		}
		key, value, found := strings.Cut(line, "=")
		if found && section == "[core]" && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}

// readLine is the first line of a small file, "" when it cannot be read.
func readLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

func join(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// realPath is path with symbolic links resolved; otherwise when there is no
// such folder.
func realPath(path, otherwise string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return otherwise
	}
	return real
}
