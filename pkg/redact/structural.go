package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// structuralRules know a secret by where it stands, not by its own form.
var structuralRules = []rule{
	{
		id: "assignment", group: 3, genuine: assignedSecret,
		keywords: []string{"token", "secret", "key", "passw", "passphrase", "_pass"},
		pattern: `(?i)((?:--|[?&])?\b[a-z0-9_.-]*(?:token|secret|(?:[_-]|api|access|private)key|password|passwd|passphrase|_pass))\b` +
			`(\\?["']?[ \t]*(?::=|=>|=|:)[ \t]*\\?["']?|[ \t]+)` +
			`([^\s"'` + "`" + `;&|<>(){}\[\],\\]{6,})([({]?)`,
	},
	{
		id: "authorization", group: 2, genuine: authorization, keywords: []string{"authorization"},
		pattern: `(?i)\bauthorization\\?["']?[ \t]*[:=,][ \t]*\\?["'` + "`" + `]?(?:(bearer|basic|token|digest|apikey|negotiate)[ \t]+)?` +
			`([a-z0-9._~+/=-]{8,})`,
	},
	{
		id: "bearer", group: 1, keywords: []string{"bearer"},
		pattern: `(?i)\bbearer[ \t]+([a-z0-9._~+/=-]{20,})`,
		genuine: func(groups []string) bool { return looksSecret(groups[1]) },
	},
	{
		id: "url-password", group: 1, genuine: urlSecret, keywords: []string{"://"},
		pattern: `\b[A-Za-z][A-Za-z0-9+.-]{1,20}://([^\s/"'` + "`" + `<>\\]+)@`,
	},
	{
		// Also one that was cut off: with a beginning and no end, or an end and
		// no beginning.
		id: "private-key", keywords: []string{"private key"},
		pattern: `-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?:[\sA-Za-z0-9+/=:,.()\\-]*?-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----` +
			`|(?:(?:\\[nr]|[\s"',+])*[A-Za-z0-9+/=]{20,})+(?:(?:\\[nr]|[\s"',+])*[A-Za-z0-9+/=]{1,20}\z)?)` +
			`|(?:[A-Za-z0-9+/=]{20,}(?:\\[nr]|[\s"',+])*[A-Za-z0-9+/=]*(?:\\[nr]|[\s"',+])*)+-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----`,
		genuine: func([]string) bool { return true },
	},
}

// assignedSecret decides about a value by how much its name proves. A shell
// variable in capitals, a flag or a query parameter that is named a password,
// token or secret holds one unless the value is a placeholder; anything else,
// and every key, must look like a secret: `cache_key=users:list`,
// `next_token = parser.peek` and `password: required` are code and prose.
func assignedSecret(groups []string) bool {
	name, between, value := groups[1], groups[2], groups[3]
	flag := strings.HasPrefix(name, "--")
	switch {
	case placeholder(value), isReference(value), strings.TrimSpace(between) == "" && !flag:
		return false
	case flag && value[0] == '-', groups[4] != "": // the next flag; a call
		return false
	}
	lower := strings.ToLower(name)
	if strings.HasSuffix(lower, "key") {
		return looksSecret(value) && !isPath(value)
	}
	tight := strings.Trim(between, `"'\`) == "="
	switch {
	case tight && name == strings.ToUpper(name):
		return !isPath(value) && !isNumber(value)
	case tight && (flag || name[0] == '?' || name[0] == '&'), flag, isPasswordName(lower) && strings.ContainsAny(between, `"'`):
		return strings.ContainsFunc(value, notLetter) && !isPath(value) && !isNumber(value)
	}
	return looksSecret(value) && !isPath(value)
}

func isPasswordName(lower string) bool {
	return strings.HasSuffix(lower, "password") || strings.HasSuffix(lower, "passwd") || strings.HasSuffix(lower, "passphrase")
}

func authorization(groups []string) bool {
	scheme, value := groups[1], groups[2]
	if placeholder(value) || isReference(value) {
		return false
	}
	if scheme == "" {
		return looksSecret(value)
	}
	return len(value) >= 24 || strings.ContainsFunc(value, digitOrCapital)
}

// urlSecret takes user:password, and a user part that is itself a token.
func urlSecret(groups []string) bool {
	user, password, both := strings.Cut(groups[1], ":")
	switch {
	case strings.Contains(groups[1], Mark):
		return false
	case !both:
		return looksSecret(user) && len(user) >= 20
	case password == "" || isVariable(password):
		return false
	}
	return !exampleLogin(strings.ToLower(user), strings.ToLower(password))
}

// exampleLogin knows the logins of documentation.
func exampleLogin(user, password string) bool {
	return (user == "user" || user == "username") && (password == "pass" || password == "password" || password == "pw")
}

// looksSecret tells whether a value could not well be a word, a number, a name
// of code or a version: it is long and mixed.
func looksSecret(value string) bool {
	if len(value) < 12 || placeholder(value) || isReference(value) {
		return false
	}
	digit := strings.ContainsFunc(value, unicode.IsDigit)
	letter := strings.ContainsFunc(value, unicode.IsLetter)
	if digit && letter {
		return entropy(value) >= 3
	}
	return len(value) >= 24 && entropy(value) >= 4
}

// isVariable tells whether a program will put the value in.
func isVariable(value string) bool { return strings.IndexAny(value, "$%{<") == 0 }

// isReference tells whether the value is code that refers to a secret: a
// variable, a member of something, a name of several words.
var isReference = regexp.MustCompile(`^(?:[$%@*#]|(?:process|os|env|self|this|config|settings|secrets)\.|[A-Za-z]+(?:[._][A-Za-z]+)+$)`).MatchString

// placeholders stand for a secret in documentation when they are a part of the
// value, noValues when they are all of it.
var (
	placeholders = []string{"your", "xxxx", "****", "....", "example", "placeholder", "changeme", "change-me", "change_me", "redacted", "dummy"}
	noValues     = []string{"undefined", "string", "required", "optional", "password", "secret"}
)

func placeholder(value string) bool {
	lower := strings.ToLower(value)
	if slices.Contains(noValues, lower) {
		return true
	}
	return slices.ContainsFunc(placeholders, func(p string) bool { return strings.Contains(lower, p) })
}

func isNumber(value string) bool {
	return len(value) < 12 && strings.Trim(value, "0123456789._") == ""
}

// isPath tells whether the value is a path or a URL, which a variable called
// *_KEY often holds.
func isPath(value string) bool {
	for _, prefix := range []string{"./", "../", "~/", "http://", "https://", "file://"} {
		if strings.HasPrefix(value, prefix) {
			return true
		}
	}
	return value[0] == '/' && strings.Count(value, "/") > 1 && !strings.ContainsAny(value, "+=")
}

func notLetter(r rune) bool      { return !unicode.IsLetter(r) }
func digitOrCapital(r rune) bool { return unicode.IsDigit(r) || unicode.IsUpper(r) }
