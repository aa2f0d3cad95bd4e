// Makes the source of gVisor that runsc is built from: gVisor's own, with changes after which a restored guest goes on before its memory
// has been read.
//
// gVisor offers that (Background of a restore), but its loader begins with all pages at once and in their order, so that a page which the
// guest asks for waits behind most of the others. With the changes the loader reads what is asked for, and the rest two seconds later,
// little by little. Nothing else is changed, and nothing at all for a restore that is not in the background.
//
// Each place that is changed must be there exactly once, or nothing is built.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed deferred_loads.go.txt
var deferredLoads string

const module = "gvisor.dev/gvisor"

type change struct{ before, after string }

var changes = map[string][]change{
	"pkg/sentry/pgalloc/save_restore.go": {
		{"\tgo apfl.main()\n", "\tapfl.holdBack()\n\tgo apfl.main()\n"},
		{
			"apfl.priority.PushBack(aplFileRange{amfl, ulFR})\n",
			"apfl.priority.PushBack(aplFileRange{amfl, ulFR})\n\t\t\t\tapfl.lfStatus.Notify(aplAsked)\n",
		},
		{"with no waiters.\n\t\tif apfl.canEnqueue() {", "with no waiters.\n\t\tif apfl.mayReadAhead() {"},
		{"incRefLocked(ulFR)\n\t\t\t\t\tif !apfl.canEnqueue() {", "incRefLocked(ulFR)\n\t\t\t\t\tif !apfl.mayReadAhead() {"},
		{
			"ev := apfl.lfStatus.Wait()\n",
			"if apfl.waitedForQuestions() {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\tev := apfl.lfStatus.WaitFor(aplLFPending | aplLFDone)\n",
		},
	},
	"pkg/sentry/mm/address_space.go": {
		{"setMapUnit(32 << 20)", "setMapUnit(pgalloc.MapUnitWhileLoading)"},
	},
	"runsc/boot/controller.go": {
		{"\t\"gvisor.dev/gvisor/pkg/sentry/kernel\"\n", "\t\"gvisor.dev/gvisor/pkg/sentry/kernel\"\n\t\"gvisor.dev/gvisor/pkg/sentry/pgalloc\"\n"},
		{"\t// Create the main MemoryFile.\n", "\tif o.Background {\n\t\tpgalloc.DeferLoads()\n\t}\n\n\t// Create the main MemoryFile.\n"},
	},
}

const added = "pkg/sentry/pgalloc/deferred_loads.go"

func main() {
	target := os.Args[1]
	download := exec.Command("go", "mod", "download", "-json", module)
	download.Stderr = os.Stderr
	said, err := download.Output()
	check(err)
	var source struct{ Dir string }
	check(json.Unmarshal(said, &source))
	check(os.CopyFS(target, os.DirFS(source.Dir)))
	for name, list := range changes {
		path := filepath.Join(target, name)
		text, err := os.ReadFile(path)
		check(err)
		check(os.WriteFile(path, []byte(apply(name, string(text), list)), 0o644))
	}
	check(os.WriteFile(filepath.Join(target, added), []byte(deferredLoads), 0o644))
}

func apply(name, text string, list []change) string {
	for _, change := range list {
		if found := strings.Count(text, change.before); found != 1 {
			check(fmt.Errorf("%s of gVisor has %q %d times instead of once", name, change.before, found))
		}
		text = strings.Replace(text, change.before, change.after, 1)
	}
	return text
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
