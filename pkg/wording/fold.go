package wording

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// apostrophes are dropped: don't, dont and don’t are one word.
const apostrophes = "'’ʼ‘`´＇"

// marks are written in one form; a letter that stands for two is two.
var narrow = map[rune]string{
	'ß': "ss", 'ё': "е", 'œ': "oe", 'æ': "ae", 'ø': "o", 'ł': "l",
	'，': ",", '。': ".", '、': ",", '？': "?", '！': "!", '：': ":", '；': ";", '（': "(", '）': ")", '　': " ",
	'…': ".", '—': ",", '–': ",", '¿': " ", '¡': " ", '\u200b': "", '\u00a0': " ", '\u202f': " ",
}

// The traditional characters that the patterns meet, and their simplified
// forms, in the same order.
const (
	traditional = "對還沒錯為麼應該這樣個說過壞顯復們時間開關後來問題無報誤沒給讓結會從學裡點執運換動終於確認當嗎嗯請謝感幫現實測試檔編輯碼類頁寫讀測無統變刪掉亂擅總"
	simplified  = "对还没错为么应该这样个说过坏显复们时间开关后来问题无报误没给让结会从学里点执运换动终于确认当吗嗯请谢感帮现实测试档编辑码类页写读测无统变删掉乱擅总"
)

// foldTable maps the characters that folding changes beyond lower case.
var foldTable = sync.OnceValue(func() map[rune]string {
	table := make(map[rune]string, 700)
	for r := rune(0xC0); r < 0x250; r++ {
		if d := norm.NFD.String(string(r)); len(d) > utf8.RuneLen(r)-1 && d[0] < utf8.RuneSelf {
			table[r] = strings.ToLower(d[:1])
		}
	}
	to := []rune(simplified)
	for i, r := range []rune(traditional) {
		table[r] = string(to[i])
	}
	for r, s := range narrow {
		table[r] = s
	}
	for _, r := range apostrophes {
		table[r] = ""
	}
	return table
})

// fold appends the folded text to dst.
func fold(dst, text []byte) []byte {
	n := asciiLength(text)
	if n < len(text) {
		text = norm.NFC.Bytes(text)
		n = asciiLength(text)
	}
	dst = foldASCII(dst, text[:n])
	if n == len(text) {
		return dst
	}
	table := foldTable()
	for i := n; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			if c = folds[c]; c != dropped {
				dst = append(dst, c)
			}
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		r = unicode.ToLower(r)
		if s, ok := table[r]; ok {
			dst = append(dst, s...)
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func foldASCII(dst, text []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, len(text))[:n+len(text)]
	for _, c := range text {
		dst[n] = folds[c]
		if folds[c] != dropped {
			n++
		}
	}
	return dst[:n]
}

// isUnspaced tells whether the character belongs to a script that puts no
// blanks between words, or (Korean) whose words carry their grammar with them.
func isUnspaced(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7AF,
		r <= 0x11FF, r >= 0x3130 && r <= 0x318F, r >= 0xF900 && r <= 0xFAFF:
		return true
	}
	return false
}

// HasUnspaced tells whether there is such a character in the text.
func HasUnspaced(text []byte) bool {
	for _, r := range runes(text[asciiLength(text):]) {
		if isUnspaced(r) {
			return true
		}
	}
	return false
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r)
}
