package request_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/anthropic"
	"github.com/quirehq/quire/composer/request/openai"
	"github.com/quirehq/quire/fingerprint"
)

// TestMain lets the test binary stand for a process that assembles; see TestManyProcesses.
func TestMain(m *testing.M) {
	if os.Getenv("QUIRE_TEST_REQUEST") != "" {
		fmt.Print(digests())
		return
	}
	os.Exit(m.Run())
}

// wantDigests are the digests of the recipe, of the composition and of two bodies, on every machine.
const wantDigests = "0ccb232f2c324c5bf06f739cdf2b08b4008975401e0da1c4ecc5d50ed29fd533 4e6bf09b95ddbd383096bb0c1771fce3613333873ad65067c4595ae5e1884c0c 31a60eeab3ad390dc1e60a7db09a824e2af9838c6532c8bded62fb8475f305fe 9055081c1f15f7bda6c919b99db600c6a59a35cc254a11d700922eafd971369b"

// Processes under other locales, zones and numbers of threads agree, with each other and with what is written here.
func TestManyProcesses(t *testing.T) {
	if got := digests(); got != wantDigests {
		t.Fatalf("digests %s, want %s", got, wantDigests)
	}
	if testing.Short() {
		t.Skip("starts twenty processes")
	}
	program, err := os.Executable()
	if err != nil {
		t.Skipf("this platform starts no processes: %v", err)
	}
	for i := range 20 {
		cmd := exec.Command(program)
		locale := []string{"C", "tr_TR.UTF-8", "sv_SE.UTF-8", "de_DE.UTF-8"}[i%4]
		zone := []string{"UTC", "Asia/Tokyo", "America/New_York"}[i%3]
		cmd.Env = append(os.Environ(), "QUIRE_TEST_REQUEST=1", "GOMAXPROCS="+strconv.Itoa(1+7*(i%2)), "LC_ALL="+locale, "LANG="+locale, "TZ="+zone)
		out, err := cmd.Output()
		var failed *exec.ExitError
		switch {
		case errors.As(err, &failed):
			t.Fatalf("process %d: %v\n%s", i, err, failed.Stderr)
		case err != nil:
			t.Skipf("this platform starts no processes: %v", err)
		case string(out) != wantDigests:
			t.Errorf("process %d (%s, %s): %s\nwant %s", i, locale, zone, out, wantDigests)
		}
	}
}

func digests() string {
	in := full("{\"a\": {}} {output_format}{skills}{odd}{cacheBreakpoint}{today}{locale}{memory}{chunks}")
	in.History = append(session(), ask("日本語 😀 e\u0301"))
	in.Tools = []request.Tool{{Name: "ı", Schema: `{"z":{"b":1.50,"a":2},"a":[],"ü":1}`}, {Name: "I"}}
	in.Files = []request.File{{Name: "ä.png", MediaType: "IMAGE/PNG", Data: []byte{0, 0xff}}}
	in.Params = []messages.Member{{Name: "z", Value: "1.0"}, {Name: "a", Value: "{}"}}
	cfg := config(120)
	cfg.MarkConversation = true
	assembler, err := request.New(cfg)
	if err != nil {
		return err.Error()
	}
	res, err := assembler.Build(in)
	if err != nil {
		return err.Error()
	}
	one, err := anthropic.Write(res.Request, anthropic.Options{})
	if err != nil {
		return err.Error()
	}
	two, err := openai.Write(res.Request, openai.Options{Mode: openai.Implicit})
	if err != nil {
		return err.Error()
	}
	return strings.Join([]string{fingerprint.Sum(res.Compilation().Recipe).String(), res.Composition.Fingerprint().String(),
		fingerprint.Sum(one.JSON).String(), fingerprint.Sum(two.JSON).String()}, " ")
}
