"""What rich shows live, progress among it: HTML that is replaced as it goes on. Without this it would ask for widgets, and show nothing."""
import sys

from atoll_kernel import notebook


def install(module):
    live = module.Live
    refresh, stop = live.refresh, live.stop

    def refresh_shown(self):
        if not self.console.is_jupyter:
            return refresh(self)
        with self._lock:
            show(self, self.get_renderable(), sys.modules[module.__package__ + ".jupyter"])

    def stop_shown(self):
        """The last state is what stays; what is transient leaves nothing."""
        if self.console.is_jupyter and self.is_started:
            self.refresh()
            if self.transient:
                update(self, {"text/plain": "", "text/html": ""})
        stop(self)

    live.refresh, live.stop = refresh_shown, stop_shown


def show(live, renderable, jupyter):
    console = live.console
    segments = list(console.render(renderable, console.options))
    update(live, {"text/plain": console._render_buffer(segments), "text/html": jupyter._render_segments(segments)})


def update(live, forms):
    if forms == getattr(live, "_atoll_forms", None):
        return
    live._atoll_forms = forms
    handle = getattr(live, "_atoll_handle", None)
    if handle is None:
        live._atoll_handle = notebook.display(forms, raw=True, display_id=True)
    else:
        handle.update(forms, raw=True)
