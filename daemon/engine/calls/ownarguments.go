package calls

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ownArguments reads the arguments of one of Winnow's own tools by name into strings,
// integers, lists of strings and JSON. It is lenient: models write a number as a string,
// one string for a list, and a number for a string. The error says what is expected.
func ownArguments(arguments json.RawMessage, into map[string]any) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(objectOf(arguments), &members) != nil {
		return errors.New("they are not an object")
	}
	for name, target := range into {
		raw := members[name]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		text, isText := scalar(raw)
		switch target := target.(type) {
		case *string:
			if !isText {
				return fmt.Errorf("%q has to be a text", name)
			}
			*target = text
		case *int:
			n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil || n != float64(int(n)) {
				return fmt.Errorf("%q has to be a whole number", name)
			}
			*target = int(n)
		case *json.RawMessage:
			*target = raw
		case *[]string:
			if isText {
				*target = []string{text}
			} else if json.Unmarshal(raw, target) != nil {
				return fmt.Errorf("%q has to be a list of texts", name)
			}
		}
	}
	return nil
}

// scalar returns a string, or a number as written.
func scalar(raw json.RawMessage) (text string, ok bool) {
	var number json.Number
	if raw[0] != '"' && json.Unmarshal(raw, &number) == nil {
		return number.String(), true
	}
	return text, json.Unmarshal(raw, &text) == nil
}
