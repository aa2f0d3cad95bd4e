package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.model.AtollException;
import dev.atoll.model.DriverReport;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Isolation;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Picks a driver that really works here; the strongest boundary comes first in the list. */
final class DriverChoice {
  private final List<Driver> drivers;

  DriverChoice(List<Driver> drivers) {
    this.drivers = List.copyOf(drivers);
  }

  List<DriverReport> reports() {
    return drivers.stream().map(Driver::probe).toList();
  }

  List<DriverReport> freshReports() {
    return drivers.stream().map(Driver::probeAnew).toList();
  }

  List<Driver> all() {
    return drivers;
  }

  Optional<Driver> first() {
    return drivers.stream().filter(driver -> driver.probe().available()).findFirst();
  }

  Optional<Driver> named(String name) {
    return drivers.stream().filter(driver -> driver.name().equals(name)).findFirst();
  }

  Driver best() {
    return of(Isolation.AUTO);
  }

  Driver of(Isolation isolation) {
    return drivers.stream()
        .filter(driver -> isolation == Isolation.AUTO || driver.isolation() == isolation)
        .filter(driver -> driver.probe().available())
        .findFirst()
        .orElseThrow(
            () ->
                new AtollException(
                    ErrorCode.DRIVER_UNAVAILABLE,
                    isolation == Isolation.AUTO
                        ? "no isolation driver works on this host"
                        : "isolation " + isolation.wire() + " does not work on this host",
                    "run `./atoll doctor` to see what was tried",
                    Map.of("isolation", isolation.wire()),
                    null));
  }
}
