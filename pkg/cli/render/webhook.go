package render

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"retro/pkg/ndjson"
	"retro/pkg/report"
)

// webhookLimit is how long the webhook may take, as with the original helper.
const webhookLimit = 5 * time.Second

// webhookNotice is the body of the webhook: that there is a report, where, and
// how many things are in it. It never holds text.
type webhookNotice struct {
	Event          string `json:"event"`
	ReportPath     string `json:"report_path"`
	Applied        int    `json:"applied"`
	ManualFollowup int    `json:"manual_followup"`
	Timestamp      string `json:"timestamp"`
}

func notice(path string, s *report.Scheduled) webhookNotice {
	return webhookNotice{"scheduled_retro", strings.ToValidUTF8(path, "\uFFFD"), s.AppliedCount, s.FollowupCount, s.Timestamp()}
}

// post sends the notice once. Errors never hold the address, which is often a
// secret; for the same reason it goes to curl by standard input and is in no
// list of processes.
//
// Note: curl, as with the original helper, and not net/http, which would add
// 4.5 MB and a slower start to every call of a program that is also the status
// line of an editor, for one request a night.
func post(url string, body webhookNotice, limit time.Duration) error {
	scheme, _, _ := strings.Cut(url, "://")
	if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" || strings.ContainsFunc(url, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return errors.New("address is not http or https")
	}
	data, err := ndjson.Marshal(body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "curl", "--disable", "--config", "-")
	cmd.WaitDelay = 100 * time.Millisecond
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`url = %s
request = "POST"
header = "Content-Type: application/json"
header = "Expect:"
data-binary = %s
max-time = %g
proto = "=http,https"
output = "/dev/null"
globoff
silent
fail
`, quoteConfig(url), quoteConfig(string(data)), limit.Seconds()))
	const timedOut = 28 // curl's exit code
	switch err := cmd.Run(); {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("no curl to send it with")
	case ctx.Err() != nil, cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == timedOut:
		return errors.New("no answer in time")
	}
	return errors.New("not delivered")
}

// quoteConfig writes a string as curl's configuration reads it.
func quoteConfig(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
