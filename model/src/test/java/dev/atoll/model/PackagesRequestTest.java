package dev.atoll.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PackagesRequestTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pip|pandas",
        "pip|zope.interface",
        "pip|pandas==2.2.3",
        "pip|uvicorn[standard]>=0.30,<1",
        "pip|torch==2.6.0+cpu",
        "pip|numpy ~= 2.0",
        "npm|lodash",
        "npm|lodash@4.17.21",
        "npm|@types/node@^22",
        "npm|react@>=18 <20",
        "npm|next@latest",
        "apt|jq",
        "apt|g++",
        "apt|libc6:i386",
        "apt|jq=1.7.1-6+deb13u1",
        "gem|rake",
        "gem|rake:13.2.1",
        "gem|rails:~> 7.1",
        "cargo|ripgrep",
        "cargo|ripgrep@14.1.1"
      })
  void namesAndVersionsAreTaken(String manager, String name) {
    assertThat(new PackagesRequest(Installer.of(manager), List.of(name), null, null).packages())
        .containsExactly(name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pip|-r/etc/passwd",
        "pip|--index-url=http://evil.test",
        "pip|git+https://evil.test/x",
        "pip|./x.whl",
        "pip|x @ http://evil.test/x.whl",
        "pip|a;b",
        "pip|a b",
        "npm|--global",
        "npm|user/repo",
        "npm|x@npm:y",
        "npm|x@http://evil.test/x.tgz",
        "npm|../x",
        "apt|-o=Dpkg::Pre-Invoke::=id",
        "apt|./x.deb",
        "apt|jq-",
        "apt|jq/../../x",
        "apt|^jq.*",
        "gem|--source",
        "gem|rake -- --evil",
        "cargo|--git",
        "cargo|x --path /",
      })
  void whatIsNoNameIsRefused(String manager, String name) {
    assertThatThrownBy(() -> new PackagesRequest(Installer.of(manager), List.of(name), null, null))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessageContaining(name);
  }

  @Test
  void pipIsTheDefaultAndNothingIsNotEnough() {
    assertThat(new PackagesRequest(null, List.of("x"), null, null).manager())
        .isEqualTo(Installer.PIP);
    assertThatThrownBy(() -> PackagesRequest.of(Installer.PIP, List.of()))
        .hasMessageContaining("at least one");
  }
}
