package render

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func needCurl(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl on this machine")
	}
}

func TestPost(t *testing.T) {
	needCurl(t)
	var method, contentType, body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		method, contentType, body = r.Method, r.Header.Get("Content-Type"), string(data)
	}))
	defer server.Close()
	n := webhookNotice{"scheduled_retro", "/tmp/a \"quoted\" \\ path/é\n.md", 1, 2, "2026-07-14T06:00:00Z"}
	if err := post(server.URL+"/hook?key=[a]{b}", n, time.Minute); err != nil {
		t.Fatal(err)
	}
	const want = `{"event":"scheduled_retro","report_path":"/tmp/a \"quoted\" \\ path/é\n.md","applied":1,"manual_followup":2,"timestamp":"2026-07-14T06:00:00Z"}`
	if method != "POST" || contentType != "application/json" || body != want {
		t.Errorf("got %s %s %s, want %s", method, contentType, body, want)
	}
}

// TestPostFailsOpen ends every kind of failure in an error that does not tell
// the address.
func TestPostFailsOpen(t *testing.T) {
	needCurl(t)
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			<-hang
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	defer close(hang)
	for _, test := range []struct {
		url   string
		limit time.Duration
		want  string
	}{
		{server.URL + "/secret", time.Minute, "not delivered"},
		{"http://127.0.0.1:1/secret", time.Minute, "not delivered"},
		{server.URL + "/hang", 200 * time.Millisecond, "no answer in time"},
		{"file:///etc/secret", time.Minute, "address is not http or https"},
		{"secret", time.Minute, "address is not http or https"},
		{server.URL + "/secret\noutput = x", time.Minute, "address is not http or https"},
	} {
		err := post(test.url, webhookNotice{}, test.limit)
		if err == nil || err.Error() != test.want || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %s", test.url, err, test.want)
		}
	}
}
