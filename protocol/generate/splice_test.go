package main

import "testing"

func TestSpliceConfiguration(t *testing.T) {
	t.Parallel()
	manifest := "{\n  \"name\": \"winnow\", \"z\": [1, {\"contributes\": 2}],\n  \"contributes\": {\n    \"first\": {},\n    \"configuration\": {\"old\": [1]},\n    \"last\": {}\n  }\n}\n"
	got, err := spliceConfiguration([]byte(manifest), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"name\": \"winnow\", \"z\": [1, {\"contributes\": 2}],\n  \"contributes\": {\n    \"first\": {},\n    \"configuration\": {\n      \"title\": \"Winnow\",\n      \"properties\": {}\n    },\n    \"last\": {}\n  }\n}\n"
	if string(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	again, err := spliceConfiguration(got, nil)
	if err != nil || string(again) != want {
		t.Errorf("a second run changed the file (%v):\n%s", err, again)
	}
}

func TestSpliceConfiguration_Errors(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]string{
		``:                                      "find contributes.configuration: EOF",
		`[]`:                                    "[ is no object",
		`{"contributes": {}}`:                   `there is no key "configuration"; add it with the value {}`,
		`{"contributes": {"configuration": `:    "read contributes.configuration",
		`{"a": {"contributes": {}}, "b": [1, }`: "find contributes.configuration",
	} {
		_, err := spliceConfiguration([]byte(manifest), nil)
		checkError(t, err, want)
	}
}

func TestSpliceTable(t *testing.T) {
	t.Parallel()
	got, err := spliceTable([]byte("before\n"+tableStart+"old\n"+tableEnd+"\nafter\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + tableStart + "| setting | default | meaning |\n| --- | --- | --- |\n" + tableEnd + "\nafter\n"
	if string(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for readme, want := range map[string]string{
		"no markers":               "there is no line <!-- settings:",
		tableEnd + tableStart + "": "there is no line " + tableEnd + " after",
	} {
		_, err := spliceTable([]byte(readme), nil)
		checkError(t, err, want)
	}
}

func TestScreaming(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Version": "VERSION", "MaxNameLen": "MAX_NAME_LEN"} {
		if got := screaming(in); got != want {
			t.Errorf("screaming(%q) = %q, want %q", in, got, want)
		}
	}
}
