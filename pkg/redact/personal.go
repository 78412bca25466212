package redact

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// anonymous is the name that stands in place of a user's.
const anonymous = "user"

// homes finds home directories by their form. The name is the one capture
// group that took part. A word, a dot, a dash or a slash before `/home` makes it
// a part of another path or of a URL.
var homes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|file://|[^\w.\-/~)\]}])((?:/mnt/[a-z]|/[a-z])?/(?:home|Users)/([^\s/\\"'` + "`" + `:;,<>|()\[\]{}*?&$]+))` +
		// A Windows name may have spaces when a separator follows.
		`|\b([A-Za-z]:(?:\\{1,2}|/)Users(?:\\{1,2}|/)(?:([^\\/:*?"<>|\r\n]{1,40})(?:[\\/])|([^\\/:*?"'<>|\s,;)]+)))` +
		// The directory of a project's transcripts is named after its path.
		`|(?:^|[\s/\\"'])(-(?:home|Users)-([A-Za-z0-9]+))`)
})

// sharedHomes are directories beside the homes that belong to nobody.
var sharedHomes = map[string]bool{"Shared": true, "Public": true, "Default": true, "All Users": true, anonymous: true, "...": true, "…": true}

// personal finds home directories and the user's name.
func (c *Cleaner) personal(s string) []finding {
	var found []finding
	found = c.ownHome(found, s)
	if strings.Contains(s, "/home/") || strings.Contains(s, "Users") || strings.Contains(s, "-home-") {
		found = c.anyHome(found, s)
	}
	return c.ownName(found, s)
}

// ownHome finds the home directory by its path, wherever it lies.
func (c *Cleaner) ownHome(found []finding, s string) []finding {
	home := strings.TrimRight(c.Home, `/\`)
	if len(home) < 4 || c.KeepHomes {
		return found
	}
	for at := 0; ; {
		i := strings.Index(s[at:], home)
		if i < 0 {
			return found
		}
		start, end := at+i, at+i+len(home)
		at = end
		if wordBorder(s, start, end) && (start == 0 || s[start-1] != '.' && s[start-1] != '-') {
			found = append(found, finding{start, end, "~"})
		}
	}
}

func (c *Cleaner) anyHome(found []finding, s string) []finding {
	for _, at := range homes().FindAllStringSubmatchIndex(s, -1) {
		whole, name := 1, 2
		switch {
		case at[6] >= 0 && at[8] >= 0:
			whole, name = 3, 4
		case at[6] >= 0:
			whole, name = 3, 5
		case at[12] >= 0:
			whole, name = 6, 7
		}
		start, end := at[2*name], at[2*name+1]
		switch {
		case sharedHomes[s[start:end]]:
		case c.KeepHomes || whole == 6:
			found = append(found, finding{start, end, anonymous})
		default:
			found = append(found, finding{at[2*whole], end, "~"})
		}
	}
	return found
}

// commonNames are user names that are words of every transcript: taking them
// out would hide nothing and blot much.
var commonNames = map[string]bool{"root": true, "user": true, "admin": true, "dev": true, "app": true, "code": true, "test": true,
	"work": true, "home": true, "node": true, "runner": true, "ubuntu": true, "debian": true, "vscode": true, "codespace": true,
	"git": true, "build": true, "agent": true, "claude": true, "docker": true, "guest": true, "main": true, "src": true, "local": true,
	"service": true, "system": true, "data": true, "web": true, "server": true, "owner": true, "default": true, "project": true}

// ownName finds the user's name as a word of its own.
func (c *Cleaner) ownName(found []finding, s string) []finding {
	name := c.User
	if len(name) < 3 || commonNames[strings.ToLower(name)] {
		return found
	}
	for at := 0; ; {
		i := strings.Index(s[at:], name)
		if i < 0 {
			return found
		}
		start, end := at+i, at+i+len(name)
		at = end
		if wordBorder(s, start, end) {
			found = append(found, finding{start, end, anonymous})
		}
	}
}

// wordBorder tells whether no letter, digit or underscore touches s[start:end].
func wordBorder(s string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	return (start == 0 || !wordRune(before)) && (end == len(s) || !wordRune(after))
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
