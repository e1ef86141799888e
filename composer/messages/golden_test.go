package messages_test

import (
	"testing"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// The same prompt has the same bytes and the same recipe on every machine, in every process and in every release of one
// version. Whoever has to change these digests has to change composer.Version too.
func TestGoldenFingerprints(t *testing.T) {
	p := full()
	p.History = append(talk("u c:read+c:run u r:run+r:read t cX rX"), messages.TextMessage(messages.User, "é e\u0301 日本語 👨‍👩‍👧‍👦 \r\n\x00"))
	p.History[1].Content[0].Value = `{"n": 12345678901234567890, "f": 1.50, "\u20ac": null}`
	p.History[3].Content[0].Text = "a long result: 👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦 and so on"
	for _, golden := range []struct {
		policy         messages.Policy
		layout         messages.Layout
		output, recipe string
	}{
		{messages.ByUnit, messages.CacheAware,
			"8bc9f438a33571e6e9d218777bf0bdb05cf03d97c9f00fcbc6648c2b3c74ff54", "caa6e796b1d43b8aa57575932e0442f3ddf36f06a18a0285f966f1fca00b5e75"},
		{messages.ByItem, messages.CacheAware,
			"9a634e863e2cf34d817d55c732e63e297acf93a5f44fb3a0f8b854aa45860d6f", "08119ca152063e23cfa5034fa671444d047f7cdd9fe2f115b873cf962ddc70c0"},
		{messages.Quantised, messages.CacheAware,
			"8bc9f438a33571e6e9d218777bf0bdb05cf03d97c9f00fcbc6648c2b3c74ff54", "d1316d0edaddef2d14efea7a789ad3f3e0c932a96d48a328844b2077f0c570e3"},
		{messages.ByUnit, messages.Legacy,
			"1a52b50e4ba5aa23acb5bd12719cf91b6ebf99bb6801f90335bdc827454069df", "55453797abf9532c79e151efc950fa228aeb481bf6af6df0188ce0ec72d177b3"},
		{messages.ByItem, messages.Legacy,
			"ae7ec4afede2e1fe06cbcf9dcb7162bc9e90610de84698f3f528a29508c9583a", "f2b8b83a1055c692192e4680b2a39da2873ebea350847925c0b71f570bc45116"},
		{messages.Quantised, messages.Legacy,
			"1a52b50e4ba5aa23acb5bd12719cf91b6ebf99bb6801f90335bdc827454069df", "05b285644139786b6e45055500c2961c30eabf6fcd8eebd67948266867b0399d"},
	} {
		t.Run(golden.policy.String()+"/"+golden.layout.String(), func(t *testing.T) {
			a, err := p.Assemble(messages.Options{Policy: golden.policy, Layout: golden.layout, Quantum: 10, Notice: true,
				Fold: &messages.Fold{Cap: 30, Recent: 2}, Budget: &messages.Budget{MaxInputTokens: tiers.Limit(48)}})
			if err != nil {
				t.Fatal(err)
			}
			if a.Report.OmittedCount == 0 || len(a.Places) < 8 {
				t.Errorf("%d omitted, %d in: not what this test is about", a.Report.OmittedCount, len(a.Places))
			}
			compare(t, "fingerprint", golden.output, a.Composition.Fingerprint().String())
			compare(t, "recipe", golden.recipe, fingerprint.Sum(a.Compilation().Recipe).String())
		})
	}
}
