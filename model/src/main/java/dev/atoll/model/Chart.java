package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data behind a chart: what a person reads off the picture.
 *
 * @param title of the whole figure
 * @param plots one for each pair of axes, in the order in which they were made
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Chart(@Nullable String title, List<Plot> plots) {

  /**
   * What is drawn between one pair of axes.
   *
   * @param type {@code line}, {@code bar}, {@code histogram}, {@code scatter}, {@code pie}, {@code
   *     box}, {@code area}, {@code heatmap}, {@code violin}, {@code contour}, {@code quiver},
   *     {@code streamplot}, {@code hexbin}, {@code surface} or {@code image}; {@code mixed} when
   *     its series differ
   * @param annotations texts that were written into it
   * @param projection {@code polar} where x is an angle and y the distance from the middle
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Plot(
      String type,
      @Nullable String title,
      @Nullable Axis x,
      @Nullable Axis y,
      @Nullable Axis z,
      List<Series> series,
      List<String> annotations,
      @Nullable String projection) {
    public Plot {
      type = type == null ? "mixed" : type;
      series = series == null ? List.of() : List.copyOf(series);
      annotations = annotations == null ? List.of() : List.copyOf(annotations);
    }
  }

  /**
   * One axis.
   *
   * @param scale {@code linear}, {@code log}, {@code date}, {@code category} …
   * @param range its two ends: numbers, or times as text
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Axis(@Nullable String label, @Nullable String scale, List<Object> range) {
    public Axis {
      range = values(range);
    }
  }

  /**
   * What belongs together in a plot: a line, a group of bars, a cloud of points. Lists of one
   * series have the same length; values are numbers, or text for categories and times, and null
   * where there is a gap. Of bars that lie, {@code y} has the categories.
   *
   * @param type as that of a plot
   * @param label as in the legend
   * @param x where along the first axis; the edges of the bins for a histogram, which are one more
   * @param y where along the second; the parts of a pie
   * @param z the third coordinate, or the values of a heatmap, row by row
   * @param labels names of the slices of a pie, or of boxes
   * @param boxes the boxes of a box plot or of violins
   * @param points how many points there are, when only some of them, evenly chosen, are listed
   * @param u of arrows and streams, their extent along the first axis; of streams row by row
   * @param v the same along the second
   * @param levels where the lines of a contour plot are
   * @param xError how far below and above each x its error reaches, as pairs; null where unknown
   * @param yError the same of y
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Series(
      String type,
      @Nullable String label,
      List<Object> x,
      List<Object> y,
      List<Object> z,
      List<String> labels,
      List<Box> boxes,
      @Nullable Integer points,
      List<Object> u,
      List<Object> v,
      List<Object> levels,
      List<Object> xError,
      List<Object> yError) {
    public Series {
      type = type == null ? "line" : type;
      x = values(x);
      y = values(y);
      z = values(z);
      u = values(u);
      v = values(v);
      levels = values(levels);
      xError = values(xError);
      yError = values(yError);
      labels = labels == null ? List.of() : List.copyOf(labels);
      boxes = boxes == null ? List.of() : List.copyOf(boxes);
    }
  }

  /** One box of a box plot: the whiskers' ends, the quartiles, the median and what lies outside. */
  public record Box(
      double low, double q1, double median, double q3, double high, List<Object> outliers) {
    public Box {
      outliers = values(outliers);
    }
  }

  public Chart {
    plots = plots == null ? List.of() : List.copyOf(plots);
  }

  /** Reads what a bundle holds, maps and lists or text. */
  static Chart of(Object form) {
    return form instanceof String text
        ? Json.lenient().readValue(text, Chart.class)
        : Json.lenient().convertValue(form, Chart.class);
  }

  /** A copy that may hold gaps, which {@code List.copyOf} would refuse. */
  private static List<Object> values(@Nullable List<Object> given) {
    return given == null ? List.of() : Collections.unmodifiableList(new ArrayList<>(given));
  }
}
