// runsc as Atoll builds it: gVisor's own, changed by ./deferred alone, with two things that every start and restore would otherwise pay for.
package main

import (
	"runtime"
	"runtime/debug"
	"sync"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	_ "gvisor.dev/gvisor/runsc/boot/filter"
	"gvisor.dev/gvisor/runsc/cli/maincli"
	"gvisor.dev/gvisor/runsc/version"
)

var _ = version.Version() // set by the linker

// gVisor's own builds come with compiled seccomp filters; its Go module does not, and then compiles one in every sandbox, for 20 ms.
// These two variables are where a build puts them. A sandbox whose configuration has no entry compiles its filter as before.
//
//go:linkname once gvisor.dev/gvisor/runsc/boot/filter.registerPrecompiledProgramsOnce
var once sync.Once

//go:linkname programs gvisor.dev/gvisor/runsc/boot/filter.precompiledPrograms
var programs map[string]precompiledseccomp.Program

// firstCollection is the size of the heap, as a percentage of Go's least (4 MiB), at which garbage is collected for the first time.
// Booting and restoring then do without; later collections come as always.
const firstCollection, laterCollections = 400, 100

type sentinel struct{ _ [16]byte }

func main() {
	once.Do(func() { programs = filters() })
	debug.SetGCPercent(firstCollection)
	runtime.SetFinalizer(new(sentinel), func(*sentinel) { debug.SetGCPercent(laterCollections) })
	maincli.Main()
}
