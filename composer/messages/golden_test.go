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
	p.History = append(talk("u c:read+c:run t r:run+r:read a cX rX"), messages.TextMessage(messages.User, "é e\u0301 日本語 👨‍👩‍👧‍👦 \r\n\x00"))
	p.History[1].Content[0].Value = `{"n": 12345678901234567890, "f": 1.50, "\u20ac": null}`
	p.History[3].Content[0].Text = "a long result: 👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦 and so on"
	for _, golden := range []struct {
		policy         messages.Policy
		layout         messages.Layout
		output, recipe string
	}{
		{messages.ByUnit, messages.CacheAware,
			"a2ae62e9c1bd4b3e57e28357a062641eb00abef8014236f92d55d4160894a9da", "dcd1eee5057d21bd65118283ec86b21cbb00a4d392e951d13f8b0a2f97f0b6ae"},
		{messages.ByItem, messages.CacheAware,
			"9837e02b77f9de9c2c597c8829eb53d8adce6dee41a11231545ddb7af4136f5c", "76d26d05ba75414ee6b2747cdcef369ca9eb09c634f48aa9a2a009db8d231efd"},
		{messages.Quantised, messages.CacheAware,
			"a2ae62e9c1bd4b3e57e28357a062641eb00abef8014236f92d55d4160894a9da", "70773589c2014a4781a127629ccb954542bce16f520a283f19c91aade1b7ba55"},
		{messages.ByUnit, messages.Legacy,
			"6d05790914459ad6b7d345c3b9d9ab5edad1561d64efa93401fc2d3ed69b09a8", "b0c36963f4c97ef9bd97b69f810da15fa549e767ad728fcbdd7293eb75a84c81"},
		{messages.ByItem, messages.Legacy,
			"4f8e7a87f1af09f027ac0b8fe63688852b125ce08bb7950fb4a7f76a14ec0caa", "5162286d9561d870eb8cb1129094fd7a2a736fd09598b5ee7ca70fc0684e79b7"},
		{messages.Quantised, messages.Legacy,
			"6d05790914459ad6b7d345c3b9d9ab5edad1561d64efa93401fc2d3ed69b09a8", "782c0221bb59ab1c0e341eafa87c5f36058a50b4d9c3b70936a52a258b33d59b"},
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
			compare(t, "recipe", golden.recipe, fingerprint.Sum(a.Recipe()).String())
		})
	}
}
