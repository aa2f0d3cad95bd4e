package dev.atoll.server.http;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/** Reads a JSON body strictly: what is not exactly right is refused and not guessed at. */
final class JsonBody {
  private static final int PIECE = 32 << 10;
  private static final long MOST_TOKENS = 100_000;
  private static final long TOKEN = 64;
  private static final JsonMapper MAPPER = mapper();
  private static final Map<Class<?>, ObjectReader> READERS = new ConcurrentHashMap<>();

  private JsonBody() {}

  static <T> T read(
      Request request, Class<T> type, long most, BudgetAccount memory, LargeBodies.Turn turn) {
    requireJson(request);
    byte[] body = bytes(request, most, memory, turn);
    if (body.length == 0) {
      throw new AtollException(
          ErrorCode.BAD_REQUEST, "the request has no body", "Send a JSON object, if only {}.");
    }
    return parse(body, type);
  }

  /** As above, for operations that can be asked for without a body. */
  static <T> T read(
      Request request,
      Class<T> type,
      long most,
      BudgetAccount memory,
      LargeBodies.Turn turn,
      T whenEmpty) {
    // Some clients name a type of their own for an empty body.
    if (request.getLength() == 0) {
      return whenEmpty;
    }
    requireJson(request);
    byte[] body = bytes(request, most, memory, turn);
    return body.length == 0 ? whenEmpty : parse(body, type);
  }

  static <T> T parse(byte[] body, Class<T> type) {
    requireUtf8(body);
    try {
      requireNoNulls(body);
      T value = READERS.computeIfAbsent(type, MAPPER::readerFor).readValue(body);
      if (value == null) {
        throw new AtollException(ErrorCode.BAD_REQUEST, "the body is null, must be a JSON object");
      }
      return value;
    } catch (DatabindException e) {
      throw unknownField(body, type).orElseGet(() -> JsonErrors.explain(e));
    } catch (JacksonException e) {
      throw JsonErrors.explain(e);
    }
  }

  private static Optional<AtollException> unknownField(byte[] body, Class<?> type) {
    try {
      return UnknownFields.find(MAPPER.readTree(body), type);
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  private static void requireJson(Request request) {
    String type = mediaType(request);
    if (type != null && !type.equals("application/json")) {
      throw new AtollException(
          ErrorCode.UNSUPPORTED_MEDIA_TYPE,
          "the body is " + type + ", must be application/json",
          "Send the header \"Content-Type: application/json\".");
    }
  }

  /** The type of the body in lower case and without parameters, if the caller gave one. */
  static @Nullable String mediaType(Request request) {
    String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    if (type == null) {
      return null;
    }
    int semicolon = type.indexOf(';');
    String essence = semicolon < 0 ? type : type.substring(0, semicolon);
    return essence.strip().toLowerCase(Locale.ROOT);
  }

  /**
   * The whole body, if it is not larger than that.
   *
   * @param memory pays for it, and for what is read from it, before it is there
   * @param turn to be waited for if it is large
   */
  static byte[] bytes(Request request, long most, BudgetAccount memory, LargeBodies.Turn turn) {
    long length = request.getLength();
    if (length > most) {
      throw tooLarge(most);
    }
    byte[] body;
    try (InputStream input = UnreadBody.stream(request)) {
      if (length >= 0) {
        turn.reached(length);
        memory.require(weight(length), "the body");
        body = input.readNBytes((int) length);
      } else {
        body = unannounced(input, most, memory, turn);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    requireFewTokens(body);
    return body;
  }

  private static byte[] unannounced(
      InputStream input, long most, BudgetAccount memory, LargeBodies.Turn turn)
      throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] buffer = new byte[PIECE];
    for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
      if (body.size() + count > most) {
        throw tooLarge(most);
      }
      turn.reached(body.size() + count);
      memory.require(weight(body.size() + count) - weight(body.size()), "the body");
      body.write(buffer, 0, count);
    }
    return body.toByteArray();
  }

  /** Its bytes, its text, and the objects that are made of it. */
  private static long weight(long length) {
    return 4 * length + TOKEN * Math.min(length / 2, MOST_TOKENS);
  }

  /** A list of a million empty lists takes many times the memory of its text. */
  private static void requireFewTokens(byte[] body) {
    if (body.length <= MOST_TOKENS) {
      return;
    }
    try (JsonParser parser = MAPPER.createParser(body)) {
      for (long tokens = 0; parser.nextToken() != null; tokens++) {
        if (tokens > MOST_TOKENS) {
          throw new AtollException(
              ErrorCode.TOO_LARGE,
              "the body has more than " + MOST_TOKENS + " values",
              "Write large data to a file of the sandbox first: PUT /v1/sandboxes/{sb}/files.",
              Map.of("maxValues", MOST_TOKENS),
              null);
        }
      }
    } catch (JacksonException e) {
      // Whoever reads it says what is wrong.
    }
  }

  /** A field that is null says neither what it should be nor that it should stay as it is. */
  private static void requireNoNulls(byte[] body) {
    try (JsonParser parser = MAPPER.createParser(body)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.VALUE_NULL && !parser.streamReadContext().inRoot()) {
          String field = parser.streamReadContext().pathAsPointer().toString().substring(1);
          throw new AtollException(
              ErrorCode.INVALID_ARGUMENT,
              JsonErrors.shorten(field.replace('/', '.')) + " is null",
              "Leave it out.",
              Exchange.field(JsonErrors.shorten(field.replace('/', '.'))),
              null);
        }
      }
    }
  }

  private static AtollException tooLarge(long most) {
    return new AtollException(
        ErrorCode.TOO_LARGE,
        "the body is larger than " + most + " bytes",
        "Write large data to a file of the sandbox first: PUT /v1/sandboxes/{sb}/files.",
        Map.of("maxBytes", most),
        null);
  }

  /**
   * Jackson lets some malformed sequences pass, such as surrogates; what we store must not hold
   * them.
   */
  private static void requireUtf8(byte[] body) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(body);
    CharBuffer out = CharBuffer.allocate(Math.min(body.length, 8192) + 2);
    CoderResult result;
    do {
      result = decoder.decode(in, out.clear(), true);
    } while (result.isOverflow());
    if (result.isError()) {
      throw new AtollException(
          ErrorCode.BAD_REQUEST,
          "the body is not UTF-8 at byte " + in.position(),
          "Encode the JSON as UTF-8; send binary data as a file.");
    }
  }

  private static JsonMapper mapper() {
    JsonMapper.Builder builder =
        Json.strict()
            .rebuild()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .addModule(WholeNumbers.module())
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS);
    builder.withCoercionConfig(
        LogicalType.Textual,
        coercion -> {
          coercion.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
          coercion.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
          coercion.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
        });
    return builder.build();
  }
}
