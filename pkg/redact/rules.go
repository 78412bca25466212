package redact

import (
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/coregx/ahocorasick"
)

// rule finds one kind of secret.
type rule struct {
	id      string
	pattern string
	// group is the capture group that holds the secret; 0 is the first that
	// took part in the match, or the whole match.
	group int
	// entropy is what the secret must have more of, in bits a character; 0
	// asks for none.
	entropy float64
	// keywords are in lower case; a text without any of them has no finding.
	keywords []string
	allow    []allowlist
	// genuine is set for structural rules and has the last word there: groups
	// are those of the match.
	genuine func(groups []string) bool
}

// allowlist names findings that are no secrets.
type allowlist struct {
	// target is what the patterns look at: `match`, `line`, or else the secret.
	target    string
	patterns  []string
	stopWords []string // lower-case words that no secret contains
}

// matcher is a rule with its patterns, which are compiled when they are first
// needed: compiling all of them takes longer than a run of most filters.
type matcher struct {
	*rule
	compile func() (*regexp.Regexp, []filter)
}

// filter is a compiled allowlist.
type filter struct {
	*allowlist
	patterns []*regexp.Regexp
}

// ruleset is every rule, and the automaton of their keywords.
type ruleset struct {
	matchers []matcher
	keywords *ahocorasick.Automaton
	byWord   [][]int // by pattern of the automaton: the rules that wait for it
	global   func() []filter
}

var rules = sync.OnceValue(func() *ruleset {
	set := &ruleset{global: sync.OnceValue(func() []filter { return filters(libraryAllow) })}
	words := ahocorasick.NewBuilder()
	index := make(map[string]int)
	for _, list := range [][]rule{libraryRules, structuralRules} {
		for i := range list {
			set.add(&list[i], index, words)
		}
	}
	automaton, err := words.Build()
	if err != nil {
		panic("redact: the keywords make no automaton: " + err.Error())
	}
	set.keywords = automaton
	return set
})

func (set *ruleset) add(r *rule, index map[string]int, words *ahocorasick.Builder) {
	for _, word := range r.keywords {
		n, known := index[word]
		if !known {
			n = len(set.byWord)
			index[word] = n
			words.AddPattern([]byte(word))
			set.byWord = append(set.byWord, nil)
		}
		set.byWord[n] = append(set.byWord[n], len(set.matchers))
	}
	set.matchers = append(set.matchers, matcher{r, sync.OnceValues(func() (*regexp.Regexp, []filter) {
		return regexp.MustCompile(r.pattern), filters(r.allow)
	})})
}

func filters(list []allowlist) []filter {
	out := make([]filter, len(list))
	for i := range list {
		out[i].allowlist = &list[i]
		for _, p := range list[i].patterns {
			out[i].patterns = append(out[i].patterns, regexp.MustCompile(p))
		}
	}
	return out
}

// secrets finds the secrets of s, in no order.
func secrets(s string) []finding {
	set := rules()
	var found []finding
	due := make([]bool, len(set.matchers))
	for _, m := range set.keywords.FindAllOverlapping([]byte(strings.ToLower(s))) {
		for _, i := range set.byWord[m.PatternID] {
			due[i] = true
		}
	}
	for i, wanted := range due {
		if wanted {
			found = set.matchers[i].find(found, s, set.global)
		}
	}
	return found
}

// find adds the findings of one rule.
func (m *matcher) find(found []finding, s string, global func() []filter) []finding {
	re, own := m.compile()
	if m.genuine != nil {
		return m.findInside(found, s, re)
	}
	for _, at := range re.FindAllStringSubmatchIndex(s, -1) {
		start, end := m.secret(s, at)
		secret, match, line := s[start:end], strings.Trim(s[at[0]:at[1]], "\n"), lineOf(s, at[0], at[1])
		if m.entropy > 0 && entropy(secret) <= m.entropy ||
			allowed(global(), secret, match, line) || allowed(own, secret, match, line) {
			continue
		}
		found = append(found, finding{start, end, Mark})
	}
	return found
}

// findInside is find for a structural rule. After a match that is no secret it
// goes on inside the match: in `token: API_TOKEN=...` the value is itself an
// assignment.
func (m *matcher) findInside(found []finding, s string, re *regexp.Regexp) []finding {
	for from := 0; from < len(s); {
		at := re.FindStringSubmatchIndex(s[from:])
		if at == nil {
			break
		}
		start, end := m.secret(s[from:], at)
		switch {
		case m.genuine(groups(s[from:], at)):
			found = append(found, finding{from + start, from + end, Mark})
			from += max(at[1], 1)
		case start > at[0]:
			from += start
		default:
			from += max(at[1], 1)
		}
	}
	return found
}

// secret is where in s the secret of a match is.
func (m *matcher) secret(s string, at []int) (start, end int) {
	if m.group > 0 {
		return max(at[2*m.group], 0), max(at[2*m.group+1], 0)
	}
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 && at[i+1] > at[i] {
			return at[i], at[i+1]
		}
	}
	match := strings.TrimRight(s[at[0]:at[1]], "\n")
	end = at[0] + len(match)
	return end - len(strings.TrimLeft(match, "\n")), end
}

func groups(s string, at []int) []string {
	out := make([]string, len(at)/2)
	for i := range out {
		if at[2*i] >= 0 {
			out[i] = s[at[2*i]:at[2*i+1]]
		}
	}
	return out
}

// lineOf is the whole line, or lines, of a match.
func lineOf(s string, start, end int) string {
	from := strings.LastIndexByte(s[:start], '\n') + 1
	if n := strings.IndexByte(s[end:], '\n'); n >= 0 {
		return s[from : end+n]
	}
	return s[from:]
}

func allowed(list []filter, secret, match, line string) bool {
	for _, f := range list {
		target := secret
		switch f.target {
		case "match":
			target = match
		case "line":
			target = line
		}
		for _, re := range f.patterns {
			if re.MatchString(target) {
				return true
			}
		}
		lower := strings.ToLower(secret)
		for _, word := range f.stopWords {
			if strings.Contains(lower, word) {
				return true
			}
		}
	}
	return false
}

// entropy is Shannon's, in bits a character, with the library's divisor: the
// length in bytes.
func entropy(s string) float64 {
	counts := make(map[rune]int)
	for _, r := range s {
		counts[r]++
	}
	var sum float64
	for _, n := range counts {
		f := float64(n) / float64(len(s))
		sum -= f * math.Log2(f)
	}
	return sum
}
