// Command samples writes the texts that composer/measure/bpe is benchmarked on:
//
//	go run ./samples FOLDER
//
// They are drawn from word lists with a fixed seed, words with the skew of real text but no line twice by design, since
// tokenizers that cache lines or words would otherwise be measured on their cache.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

const size = 256 << 10

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: samples FOLDER")
		os.Exit(2)
	}
	for _, text := range []struct {
		name      string
		paragraph func(*writer)
	}{{"code", code}, {"prose", prose}, {"cjk", cjk}, {"emoji", emoji}} {
		w := &writer{rand: rand.New(rand.NewPCG(20, 25))}
		w.rand.Shuffle(len(stems), func(i, j int) { stems[i], stems[j] = stems[j], stems[i] })
		for w.Len() < size {
			text.paragraph(w)
		}
		var z bytes.Buffer
		zw, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
		zw.Write(w.Bytes()) // a bytes.Buffer takes everything
		zw.Close()
		if err := os.WriteFile(filepath.Join(os.Args[1], text.name+".txt.gz"), z.Bytes(), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "samples:", err)
			os.Exit(1)
		}
	}
}

type writer struct {
	bytes.Buffer
	rand *rand.Rand
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) pick(list []string) string { return list[w.rand.IntN(len(list))] }

// skewed picks early members much more often than late ones, as words are used.
func (w *writer) skewed(list []string) string {
	x := w.rand.Float64()
	return list[int(x*x*x*float64(len(list)))]
}

// between returns from to to, both included.
func (w *writer) between(from, to int) int { return from + w.rand.IntN(to-from+1) }

func (w *writer) chance(percent int) bool { return w.rand.IntN(100) < percent }

var (
	little = strings.Fields("the of and to a in that it is was for on with as at by his her they from not but be had have which or one this were all there when what up out so said no if who into more its them then could about would she he we you do than some only over any where most after also did many before must through back much your way well down should because each just those people too little good very make world still own see work between under never last long while might great since against right came three states himself few house during without again place around however small found thought went say part once general high upon school every does got united left number course war until always away something fact though water less public put think almost hand enough far took head yet government system better set told nothing night end why called didn't eyes find going look asked later knew")
	stems  = strings.Fields("abandon absorb account achieve acknowledge acquire adapt address adjust administer admire adopt advance advertise advise afford agree alarm allocate alter amaze amend amplify amuse analyse anchor announce annoy answer anticipate apologise appeal appear applaud appoint appreciate approach approve argue arrange arrest arrive ascend assemble assert assess assign assist assume assure astonish attach attack attempt attend attract audit author avoid awake balance bargain battle behave believe belong benefit betray blame blend bless bloom board boast borrow bother bounce branch breathe bridge brighten broadcast brush bundle burden calculate calm cancel capture carve caution celebrate challenge channel charm chase cheer choose circulate claim clarify classify climb coach collapse collect combine comfort command comment commit compare compete compile complain complete compose comprehend compute conceal concentrate conclude condense conduct confess confirm confuse connect conquer consider consist console construct consult consume contain contribute convert convince cooperate coordinate correct correspond counsel create criticise cultivate damage dance debate decay decide declare decline decorate dedicate defeat defend define delay deliver demand demonstrate depart depend deposit describe deserve design desire destroy detect determine develop devote diagnose differ digest diminish direct disagree disappear discover discuss dismiss display dissolve distinguish distribute disturb divide dominate donate double doubt draft dream drift dwell earn echo educate elaborate elect eliminate embrace emerge emphasise employ enable encounter encourage endure enforce engage enhance enjoy enlarge enlighten ensure entertain equip establish estimate evaluate evolve examine exceed exchange excite exclude execute exhibit exist expand expect explain explode explore export expose express extend facilitate fasten favour flourish forecast foster found frighten fulfil function gather generate govern grant gravitate greet grieve guarantee guess harbour harvest hasten hesitate highlight hover humble identify ignore illustrate imagine imitate implement imply impress improve include increase indicate influence inform inherit initiate injure inquire insist inspect inspire install instruct insure integrate intend interpret interrupt introduce invent invest investigate invite isolate journey judge justify kindle label labour launch lecture legislate lessen liberate linger listen locate maintain manage manufacture marvel measure mediate memorise mention migrate minimise modify monitor motivate multiply murmur navigate neglect negotiate nominate notice nourish obey object observe obtain occupy occur offend operate oppose organise originate overcome participate perceive perform permit persuade plunge ponder populate portray possess postpone practise predict prefer prepare preserve pretend prevail prevent proceed process produce progress prohibit promote pronounce propose protect provide publish purchase pursue qualify quarrel question realise reason rebuild receive recite recognise recommend reconcile recover reduce reflect refresh refuse regard register regret regulate reinforce reject relate release relieve remain remark remember remind remove render repair repeat replace represent rescue resemble resist resolve respond restore restrict retain retire retreat reveal reverse revise revive reward sacrifice satisfy scatter scrutinise separate settle shelter shimmer simplify solve specialise speculate stimulate strengthen stretch struggle submit succeed suffer suggest supervise supply support suppose surprise surrender surround survey survive suspect sustain symbolise tackle temper tempt terminate testify thrive tolerate transfer transform translate transmit travel treasure tremble triumph undergo undertake unify unveil uphold utilise vanish venture verify vibrate visualise volunteer wander warn weaken whisper witness wonder worship wrestle yield")
	ends   = strings.Fields("s s s ed ed ed ing ing er")
	front  = strings.Fields("un re over dis counter inter pre non")
	places = strings.Fields("Aberdeen Bergen Cordoba Dresden Edinburgh Florence Geneva Hanoi Istanbul Jakarta Kyoto Lagos Montevideo Nairobi Oslo Porto Quito Riga Sarajevo Tallinn Utrecht Valencia Warsaw Xi'an Yerevan Zanzibar O'Brien McAllister Dostoevsky Müller Åström Nguyễn García")
)

func (w *writer) word() string {
	if w.chance(58) {
		return w.skewed(little)
	}
	s := w.skewed(stems)
	if w.chance(2) {
		s = w.pick(front) + s
	}
	if w.chance(45) {
		end := w.pick(ends)
		if strings.HasSuffix(s, "e") && strings.ContainsAny(end[:1], "aei") {
			s = s[:len(s)-1]
		}
		s += end
	}
	return s
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (w *writer) sentence() string {
	var b strings.Builder
	n := w.between(4, 24)
	for i := range n {
		s := w.word()
		switch {
		case i == 0:
			s = capital(s)
		case w.chance(4):
			s = w.pick(places)
		case w.chance(2):
			s = fmt.Sprint(w.between(1, 2100))
		}
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(s)
		switch {
		case i == n-1:
			b.WriteString(w.pick([]string{".", ".", ".", ".", "?", "!", "…"}))
		case w.chance(7):
			b.WriteString(",")
		case w.chance(2):
			b.WriteString(w.pick([]string{" —", ";", ":"}))
		case w.chance(2):
			b.WriteString(w.pick([]string{"'s", "’s", "'d", "'ll"}))
		}
	}
	return b.String()
}

func prose(w *writer) {
	for range w.between(2, 7) {
		s := w.sentence()
		if w.chance(10) {
			s = `"` + s + `"`
		}
		w.printf("%s ", s)
	}
	w.printf("\n\n")
}

// name makes an identifier of one to three words.
func (w *writer) name(exported bool) string {
	var b strings.Builder
	for i := range w.between(1, 3) {
		s := w.skewed(stems)
		if w.chance(30) {
			s = w.pick([]string{"id", "max", "buf", "ctx", "key", "node", "list", "http", "json", "row", "idx", "len", "map", "src", "dst", "err"})
		}
		if i > 0 || exported {
			s = capital(s)
		}
		b.WriteString(s)
	}
	if w.chance(6) {
		fmt.Fprint(&b, w.between(1, 64))
	}
	return b.String()
}

func (w *writer) literal() string {
	switch w.rand.IntN(6) {
	case 0:
		return fmt.Sprint(w.between(0, 9))
	case 1:
		return fmt.Sprint(w.between(10, 70000))
	case 2:
		return fmt.Sprintf("0x%02x", w.rand.Uint32()>>w.between(8, 28))
	case 3:
		return fmt.Sprintf("%q", strings.TrimRight(w.sentence(), ".")[:3]+w.word())
	case 4:
		return fmt.Sprintf("%d.%d", w.between(0, 99), w.between(0, 999))
	}
	return w.pick([]string{"nil", "true", "false", "len(" + w.name(false) + ")"})
}

func (w *writer) statement(indent string) {
	a, b, c := w.name(false), w.name(false), w.name(true)
	switch w.rand.IntN(9) {
	case 0:
		w.printf("%s%s, err := %s.%s(%s, %s)\n%sif err != nil {\n%s\treturn fmt.Errorf(\"%s %%s: %%w\", %s, err)\n%s}\n", indent, a, b, c, w.name(false), w.literal(), indent, indent, w.word(), a, indent)
	case 1:
		w.printf("%sfor %s, %s := range %s.%s {\n", indent, a, b, w.name(false), c)
		w.statement(indent + "\t")
		w.printf("%s}\n", indent)
	case 2:
		w.printf("%sif %s.%s != %s && %s > %s {\n", indent, a, c, w.literal(), b, w.literal())
		w.statement(indent + "\t")
		w.printf("%s} else {\n", indent)
		w.statement(indent + "\t")
		w.printf("%s}\n", indent)
	case 3:
		w.printf("%s%s[%s] = append(%s[%s], %s{%s: %s})\n", indent, a, b, a, b, c, w.name(true), w.literal())
	case 4:
		w.printf("%s// %s\n", indent, w.sentence())
	case 5:
		w.printf("%s%s := %s*%s + (%s<<%d)&^0x%x\n", indent, a, b, w.literal(), w.name(false), w.between(1, 63), w.rand.Uint32()>>12)
	case 6:
		w.printf("%sswitch %s := %s.(type) {\n%scase *%s:\n%s\treturn %s, nil\n%sdefault:\n%s\tpanic(%s)\n%s}\n", indent, a, b, indent, c, indent, w.name(false), indent, indent, w.literal(), indent)
	case 7:
		w.printf("%s%s.%s(func(%s *%s) bool { return %s.%s == %s })\n", indent, a, c, b, w.name(true), b, w.name(true), w.literal())
	case 8:
		w.printf("%sdefer %s.%s()\n", indent, a, c)
	}
}

func code(w *writer) {
	if w.chance(50) {
		w.printf("// %s %s\nfunc (%c *%s) %s(%s %s, %s int) (%s, error) {\n", w.name(true), w.sentence(), 'a'+w.rand.IntN(26), w.name(true), w.name(true), w.name(false), w.name(true), w.name(false), w.name(true))
		for range w.between(1, 8) {
			w.statement("\t")
		}
		w.printf("\treturn %s, nil\n}\n\n", w.name(false))
		return
	}
	w.printf("/**\n * %s\n * @param %s - %s\n */\nexport async function %s<T extends %s>(%s: readonly T[], { %s = %s, ...%s }: Partial<%s> = {}): Promise<Map<string, T>> {\n", w.sentence(), w.name(false), w.sentence(), w.name(false), w.name(true), w.name(false), w.name(false), w.literal(), w.name(false), w.name(true))
	for range w.between(1, 6) {
		switch w.rand.IntN(4) {
		case 0:
			w.printf("  const %s = await this.%s.%s(%s => ({ ...%s, %s: %s }));\n", w.name(false), w.name(false), w.name(false), w.name(false), w.name(false), w.name(false), w.literal())
		case 1:
			w.printf("  if (!%s?.%s || %s === %s) {\n    throw new %sError(`%s ${%s}: %s`);\n  }\n", w.name(false), w.name(false), w.name(false), w.literal(), w.name(true), w.word(), w.name(false), w.word())
		case 2:
			w.printf("  for (let i = 0; i < %s.length; i += %d) %s.push(%s[i] ?? %s);\n", w.name(false), w.between(1, 9), w.name(false), w.name(false), w.literal())
		case 3:
			w.printf("  // %s\n", w.sentence())
		}
	}
	w.printf("  return %s;\n}\n\n", w.name(false))
}

var (
	hanzi  = strings.Split("的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从问很知情些想意因实最间把老已开手本回理外长己高相明美头动力现点水世两月两给机声物或电长系化等路间部应真结论变利身万气第样口向打做重感门名总感白东西文声被儿先正车件使业四次手新入并全特几五路少今反果位期别代体立表员教住听百放由任海解更光处关平女建内信位安题门马", "")
	kana   = strings.Split("これはとてもながいぶんしょうですからよんでくださいませんかあのひとがいったことをおもいだしながらえきまであるいてゆきました", "")
	kata   = strings.Split("コンピュータプログラムデータベースサーバネットワークテストメモリ", "")
	hangul = strings.Split("나는오늘아침에학교로가서친구를만나고점심을먹은다음도서관에책을빌리러갔지만문이닫혀있어그냥집돌왔습니다우리대한민국사람들", "")
)

func (w *writer) chars(list []string, from, to int) {
	for range w.between(from, to) {
		w.WriteString(w.skewed(list))
	}
}

func cjk(w *writer) {
	switch w.rand.IntN(4) {
	case 0, 1:
		for range w.between(2, 6) {
			w.chars(hanzi, 3, 14)
			w.WriteString(w.pick([]string{"，", "，", "、", "：", "；", "。"}))
		}
		w.WriteString("。")
	case 2:
		for range w.between(2, 6) {
			w.chars(hanzi, 1, 3)
			w.chars(kana, 1, 6)
			if w.chance(30) {
				w.chars(kata, 2, 5)
			}
			w.WriteString(w.pick([]string{"、", "。", "が", "は", "「", "」"}))
		}
	case 3:
		for range w.between(3, 10) {
			w.chars(hangul, 2, 5)
			w.WriteString(w.pick([]string{" ", " ", " ", ", ", ". "}))
		}
	}
	w.WriteString("\n")
}

func emoji(w *writer) {
	one := func() string {
		ranges := [][2]rune{{0x1f300, 0x1f5ff}, {0x1f600, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f900, 0x1f9ff}, {0x2600, 0x26ff}, {0x1fa70, 0x1fa7c}}
		r := ranges[w.rand.IntN(len(ranges))]
		return string(r[0] + rune(w.rand.IntN(int(r[1]-r[0]+1))))
	}
	for range w.between(3, 20) {
		switch w.rand.IntN(8) {
		case 0:
			w.WriteString(one() + string(rune(0x1f3fb+w.rand.IntN(5))))
		case 1:
			w.WriteString(one() + "\u200d" + one())
		case 2:
			w.WriteString(string(rune(0x1f1e6+w.rand.IntN(26))) + string(rune(0x1f1e6+w.rand.IntN(26))))
		case 3:
			w.WriteString(one() + "\ufe0f")
		case 4:
			w.WriteString(strings.Repeat(one(), w.between(2, 4)))
		case 5:
			w.WriteString(" " + w.word() + " ")
		default:
			w.WriteString(one())
		}
	}
	if unicode.IsSpace(rune(w.Bytes()[w.Len()-1])) {
		w.WriteString("!")
	}
	w.WriteString("\n")
}
