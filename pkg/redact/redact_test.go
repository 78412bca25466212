package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"retro/pkg/ndjson"
)

// The values are random; they were never anybody's.
const (
	githubToken = "ghp_Zq7vN2xLr9TbYw4KcJ8sDf6HgM3pQ1aEuV5o"
	awsKey      = "AKIAQ3EGSWP7ZLN5XVTB"
	mixed       = "f9Kq2xW7zLr4TbY8"
)

const privateKey = "-----BEGIN RSA PRIVATE KEY-----\n" +
	"MIIEowIBAAKCAQEAx7Vq2mT9kLw4ZbN8yR3sDf6HgM3pQ1aEuV5oJ0cXiWtKnBzP\n" +
	"q7vN2xLr9TbYw4KcJ8sDf6HgM3pQ1aEuV5oZq7vN2xLr9TbYw4KcJ8sDf6HgM3pQ\n" +
	"-----END RSA PRIVATE KEY-----"

func TestSecretsGo(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"use " + githubToken + " here", "use [redacted] here"},
		{"aws_access_key_id = " + awsKey, "aws_access_key_id = [redacted]"},
		{"export DEPLOY_TOKEN=" + mixed + "; make", "export DEPLOY_TOKEN=[redacted]; make"},
		{"DB_PASSWORD=postgres make up", "DB_PASSWORD=[redacted] make up"},
		{"PGPASSWORD='tiger-7' psql", "PGPASSWORD='[redacted]' psql"},
		{"STRIPE_SECRET=\"" + mixed + "\"", "STRIPE_SECRET=\"[redacted]\""},
		{"ENCRYPTION_KEY=" + mixed, "ENCRYPTION_KEY=[redacted]"},
		{`{"API_TOKEN": "` + mixed + `"}`, `{"API_TOKEN": "[redacted]"}`},
		{`{\"api_token\":\"` + mixed + `\"}`, `{\"api_token\":\"[redacted]\"}`},
		{`"password": "hunter2"`, `"password": "[redacted]"`},
		{"deploy --token " + mixed + " --force", "deploy --token [redacted] --force"},
		{"deploy --password=hunter2", "deploy --password=[redacted]"},
		{"the secret: API_TOKEN=tigerlily", "the secret: API_TOKEN=[redacted]"},
		{"GET /x?access_token=ab12cd34&page=2", "GET /x?access_token=[redacted]&page=2"},
		{"Authorization: Bearer " + mixed, "Authorization: Bearer [redacted]"},
		{`-H "authorization: token abcdef123456"`, `-H "authorization: token [redacted]"`},
		{`"Authorization": "Basic dXNlcjpwYXNz"`, `"Authorization": "Basic [redacted]"`},
		{"sent Bearer " + mixed + mixed, "sent Bearer [redacted]"},
		{"X-Api-Key: " + mixed, "X-Api-Key: [redacted]"},
		{"git clone https://bob:s3cr3t@git.example.org/x.git", "git clone https://[redacted]@git.example.org/x.git"},
		{"postgres://app:p@ss:w0rd@db:5432/app", "postgres://[redacted]@db:5432/app"},
		{"https://" + githubToken + "@github.com/x/y", "https://[redacted]@github.com/x/y"},
		{"key:\n" + privateKey + "\nend", "key:\n[redacted]\nend"},
		{"key: " + privateKey[:100], "key: [redacted]"},
		{"…" + privateKey[60:] + " end", "…[redacted] end"},
		{strings.ReplaceAll(privateKey, "\n", `\n`), "[redacted]"},
	} {
		if got := new(Cleaner).Clean(c.in).String(); got != c.want {
			t.Errorf("Clean(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestPlainTextStays(t *testing.T) {
	for _, in := range []string{
		"no, use the token from the vault",
		"next_token = parser.peek()",
		"token = get_token(request)",
		"csrf_token: csrf_token_value",
		"cache_key=users:list",
		"primary_key = True, foreign_key=\"user.id\"",
		"MAX_TOKEN=40960",
		"API_TOKEN=$TOKEN make",
		"API_TOKEN=${{ secrets.API_TOKEN }}",
		"API_TOKEN=$(cat token.txt)",
		"API_TOKEN=<your token>",
		"API_TOKEN=your-token-here",
		"SSH_KEY=/home/user/.ssh/id_ed25519",
		"TLS_KEY=./certs/server.key",
		"password: required",
		`"password": "Password"`,
		"--token --verbose",
		"API_SECRET=process.env.API_SECRET",
		"Authorization: required for all calls",
		"Authorization: Bearer $TOKEN",
		"Authorization: Bearer <token>",
		"Authorization: Bearer token-goes-here",
		"http://localhost:8080/a@b",
		"https://user:password@example.com",
		"https://$USER:$PASS@example.com",
		"ssh://git@github.com/x/y.git",
		"see commit 4f2a9c1e8b7d6a5f4e3d2c1b0a9f8e7d6c5b4a39",
		"session 01a2b3c4-d5e6-4f70-8a91-b2c3d4e5f607",
		"the header is -----BEGIN RSA PRIVATE KEY----- and so on",
		"-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEAx7Vq2mT9kLw4ZbN8yR3sDf6H\n-----END CERTIFICATE-----",
		"src/keyboard.go:12: monkey := secretary(tokenizer)",
		"https://example.com/home/about and src/home/index.ts",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"mcp__code-graph__explore",
	} {
		if got := new(Cleaner).Clean(in).String(); got != in {
			t.Errorf("Clean(%q) = %q, want it as it is", in, got)
		}
	}
}

func TestPersonalPaths(t *testing.T) {
	plain := &Cleaner{}
	mine := &Cleaner{Home: "/srv/people/brunhild", User: "brunhild"}
	kept := &Cleaner{Home: "/home/brunhild", User: "brunhild", KeepHomes: true}
	for _, c := range []struct {
		cleaner  *Cleaner
		in, want string
	}{
		{plain, "cd /home/brunhild/app && ls", "cd ~/app && ls"},
		{plain, "/Users/brunhild", "~"},
		{plain, `open C:\Users\Brun Hild\app\x.go`, `open ~\app\x.go`},
		{plain, `"C:\\Users\\brunhild\\app"`, `"~\\app"`},
		{plain, "c:/Users/brunhild/app and /mnt/c/Users/brunhild/app", "~/app and ~/app"},
		{plain, "file:///home/brunhild/a", "file://~/a"},
		{plain, "~/.claude/projects/-home-brunhild-app/x.jsonl", "~/.claude/projects/-home-user-app/x.jsonl"},
		{plain, "/Users/Shared/x", "/Users/Shared/x"},
		{mine, "in /srv/people/brunhild/app by brunhild", "in ~/app by user"},
		{mine, "/srv/people/brunhilde/app", "/srv/people/brunhilde/app"},
		{&Cleaner{User: "dev"}, "npm run dev", "npm run dev"},
		{kept, "/home/brunhild/app -home-brunhild-app", "/home/user/app -home-user-app"},
		{kept, "/home/sieg/app", "/home/user/app"},
	} {
		if got := c.cleaner.Clean(c.in).String(); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestClipAfterRedaction holds Head and Tail to their definition on random
// texts: what a clip shows is what the whole cleaned text shows there, wherever
// a secret lies.
func TestClipAfterRedaction(t *testing.T) {
	c := &Cleaner{Home: "/home/brunhild", User: "brunhild"}
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{githubToken, "DEPLOY_TOKEN=" + mixed, privateKey, "https://bob:s3cr3t@x.org/", "/home/brunhild/app", "été ", "plain words ", "語"}
	for range 60 {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			b.WriteString(strings.Repeat("many words, ", random.IntN(2)*1000))
			b.WriteString(" " + parts[random.IntN(len(parts))] + " ")
		}
		s, n := b.String(), 1+random.IntN(400)
		clean := []rune(c.Clean(s).String())
		k := min(n, len(clean))
		if got, want := c.Head(s, n).String(), string(clean[:k]); got != want {
			t.Fatalf("Head: got %q want %q", got, want)
		}
		if got, want := c.Tail(s, n).String(), string(clean[len(clean)-k:]); got != want {
			t.Fatalf("Tail: got %q want %q", got, want)
		}
	}
}

func TestTextOnTheWire(t *testing.T) {
	type rec struct {
		A Text `json:"a"`
		B Text `json:"b,omitempty"`
	}
	line, err := ndjson.Marshal(rec{A: new(Cleaner).Clean("x \"" + githubToken + "\"")})
	if want := `{"a":"x \"[redacted]\""}`; err != nil || string(line) != want {
		t.Errorf("got %s, %v, want %s", line, err, want)
	}
	var got rec
	if err := ndjson.Unmarshal([]byte(`{"a":"`+githubToken+`"}`), &got); err != nil || got.A.String() != Mark {
		t.Errorf("read %q, %v: what is read must be cleaned", got.A, err)
	}
}

// TestEveryPatternCompiles: patterns are compiled late, so nothing else would
// notice a broken one; and every rule is reached by a keyword.
func TestEveryPatternCompiles(t *testing.T) {
	for _, m := range rules().matchers {
		re, _ := m.compile()
		if len(m.keywords) == 0 || re.NumSubexp() < m.group {
			t.Errorf("rule %s: no keyword, or no group %d", m.id, m.group)
		}
	}
	rules().global()
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{githubToken, privateKey, "A_TOKEN=" + mixed, "Bearer " + mixed, "x://a:b@c", "/home/brunhild/x", "\xff\xfe"} {
		f.Add(s, 10)
	}
	c := &Cleaner{Home: "/home/brunhild", User: "brunhild"}
	f.Fuzz(func(t *testing.T, s string, n int) {
		once := c.Clean(s).String()
		if !utf8.ValidString(once) {
			t.Errorf("Clean(%q) is not UTF-8", s)
		}
		n = min(max(n, 0), 1000)
		if got := c.Head(s, n).String(); !strings.HasPrefix(once, got) {
			t.Errorf("Head(%q) = %q is no head of %q", s, got, once)
		}
		if got := c.Tail(s, n).String(); !strings.HasSuffix(once, got) {
			t.Errorf("Tail(%q) = %q is no tail of %q", s, got, once)
		}
	})
}
