package composer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

const inChild = "QUIRE_TEST_FINGERPRINT_CHILD"

// Twenty processes with different schedulers, locales, time zones and map seeds agree on everything that can be read off
// a few hundred compositions.
func TestProcessesAgree(t *testing.T) {
	if os.Getenv(inChild) != "" {
		fmt.Println("combined", combined(t))
		return
	}
	self, err := os.Executable()
	if err != nil || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skipf("processes cannot be started on %s: %v", runtime.GOOS, err)
	}
	want := "combined " + combined(t)
	locales := []string{"C", "tr_TR.UTF-8", "sv_SE.UTF-8", "de_DE.ISO-8859-1"}
	zones := []string{"UTC", "Asia/Kathmandu", "America/St_Johns"}
	for i := range 20 {
		environment := []string{
			inChild + "=1",
			fmt.Sprint("GOMAXPROCS=", 1+i%2*7),
			"LC_ALL=" + locales[i%len(locales)],
			"LANG=" + locales[i%len(locales)],
			"TZ=" + zones[i%len(zones)],
			fmt.Sprint("GODEBUG=randautoseed=", i%2),
			fmt.Sprint("GOGC=", 20+50*i),
		}
		child := exec.Command(self, "-test.run=^TestProcessesAgree$", "-test.count=1")
		child.Env = append(os.Environ(), environment...)
		child.Stderr = os.Stderr
		out, err := child.Output()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("this binary runs in an emulator, which starts no processes of its kind")
		}
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("with %v: %v, %s; want %s", environment, err, out, want)
		}
	}
}

// combined is one digest of all that a caller can see of compositions of a seeded set of inputs.
func combined(t *testing.T) string {
	var h fingerprint.Hasher
	for seed := range uint64(300) {
		sections, cfg := drawInput(seeded(rand.New(rand.NewPCG(seed, 99))))
		c := compose(t, sections, cfg)
		fmt.Fprintln(&h, c.Fingerprint(), c.Recipe().Key(), c.Decisions(), c.Prefixes(), composer.BuildPromptBuiltEvent(c))
		h.WriteString(c.Text())
		h.WriteString(c.Explain().Table())
		h.Write(c.Recipe().AppendJSON(nil))
	}
	return h.Digest().String()
}
