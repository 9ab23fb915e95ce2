package dictionary

import "strings"

// findWord looks up a word as it is written, without inflection, and as a
// compound.
func (t *tables) findWord(language int, written, key string) []entry {
	if e, ok := t.findForm(language, written, key); ok {
		return []entry{e}
	}
	if Languages[language].compounds {
		return t.parts(language, key)
	}
	return nil
}

// minPart is the fewest bytes of a part of a compound.
const minPart = 4

// parts looks up the two parts of a compound ("Datenbanktabelle"), with the longest
// possible first part, and with or without a joint ("Verbindung|s|fehler").
func (t *tables) parts(language int, key string) []entry {
	for cut := len(key) - minPart; cut >= minPart; cut-- {
		first, ok := t.head(language, key[:cut])
		if !ok {
			continue
		}
		if last, ok := t.findForm(language, key[cut:], key[cut:]); ok {
			return []entry{first, last}
		}
	}
	return nil
}

// head looks up the first part of a compound, with its joint.
func (t *tables) head(language int, key string) (entry, bool) {
	for _, joint := range []string{"", "s", "n", "en", "es"} {
		word, fits := strings.CutSuffix(key, joint)
		if !fits || len(word) < minPart {
			continue
		}
		if e, ok := t.find(language, word); ok {
			return e, true
		}
	}
	return entry{}, false
}

// findForm looks up a word as written. If neither English nor the language's grammar has
// it, it also looks it up without inflection.
func (t *tables) findForm(language int, written, key string) (entry, bool) {
	e, ok := t.find(language, key)
	if ok || t.evidence[key].grammar&(1<<language) != 0 || t.isEnglish(key) {
		return e, ok
	}
	return t.find(language, Languages[language].StemKey(written))
}
