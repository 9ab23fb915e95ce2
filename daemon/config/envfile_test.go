package config

import (
	"maps"
	"slices"
	"testing"
)

func TestParseEnvFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       map[string]string
		bad        []int
	}{
		{"plain", "A=1\nB=two words  \n", map[string]string{"A": "1", "B": "two words"}, nil},
		{"empty", "A=\nB=\"\"\n", map[string]string{"A": "", "B": ""}, nil},
		{"no newline at the end", "A=1", map[string]string{"A": "1"}, nil},
		{"windows", "\ufeffA=1\r\nB=2\r\n", map[string]string{"A": "1", "B": "2"}, nil},
		{"export", "export A=1\n  export B=2", map[string]string{"A": "1", "B": "2"}, nil},
		{"spaces", " A = 1 ", map[string]string{"A": "1"}, nil},
		{"comments", "# a\n\nA=1 # b\nB=x#y\nC=#z", map[string]string{"A": "1", "B": "x#y", "C": ""}, nil},
		{"dollars stay", "A=pa$WORD${X}\nB=\"$HOME\"", map[string]string{"A": "pa$WORD${X}", "B": "$HOME"}, nil},
		{"equals signs", "A=b=c==", map[string]string{"A": "b=c=="}, nil},
		{"single quotes", `A='a "b" \n # c' # d`, map[string]string{"A": `a "b" \n # c`}, nil},
		{"double quotes", `A="a\nb \"c\" \\ 'd'"`, map[string]string{"A": "a\nb \"c\" \\ 'd'"}, nil},
		{"lines in quotes", "A=\"a\nb\"\nnope\nB=`c\nd`", map[string]string{"A": "a\nb", "B": "c\nd"}, []int{3}},
		{"stray quote", "A=it's\nB='open\nC=1", map[string]string{"A": "it's", "B": "'open", "C": "1"}, nil},
		{"json", `A={"a": 1}`, map[string]string{"A": `{"a": 1}`}, nil},
		{"odd names", "A.B-C=1\nA B=2\n=3\n'A'=4", map[string]string{"A.B-C": "1"}, []int{2, 3, 4}},
		{"last wins", "A=1\nA=2", map[string]string{"A": "2"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, bad := parseEnvFile([]byte(tt.text))
			if !maps.Equal(got, tt.want) || !slices.Equal(bad, tt.bad) {
				t.Errorf("got %q, bad lines %v; want %q, %v", got, bad, tt.want, tt.bad)
			}
		})
	}
}
