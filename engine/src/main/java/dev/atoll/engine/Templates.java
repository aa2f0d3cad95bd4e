package dev.atoll.engine;

import dev.atoll.model.TemplateInfo;
import java.util.List;
import java.util.function.Consumer;

/** Templates. */
public final class Templates {
  Templates() {}
  public List<TemplateInfo> list() { throw new UnsupportedOperationException(); }
  public TemplateInfo get(String name) { throw new UnsupportedOperationException(); }
  public TemplateInfo build(String name, Consumer<String> progress) { throw new UnsupportedOperationException(); }
}
