package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Hints, and the small types of Open MPI's API. */
class InfoTest {
    private interface Use {
        void of(Info info);
    }

    @Test
    void keepsHintsInTheOrderOfTheirKeys() {
        Info info = new Info();
        info.set("wdir", "a");
        info.set("host", "b");
        info.set("wdir", "c");
        assertThat(info.size()).isEqualTo(2);
        assertThat(info.getKey(0)).isEqualTo("wdir");
        assertThat(info.getKey(1)).isEqualTo("host");
        assertThat(info.get("wdir")).isEqualTo("c");
        assertThat(info.get("file")).isNull();
        Info copy = info.dup();
        Info clone = info.clone();
        info.delete("wdir");
        assertThat(info.get("wdir")).isNull();
        assertThat(copy.get("wdir")).isEqualTo("c");
        assertThat(clone.size()).isEqualTo(2);
        copy.free();
        assertThat(copy.isNull()).isTrue();
        assertThat(info.isNull()).isFalse();
        assertThat(MPI.INFO_NULL.isNull()).isTrue();
    }

    static Stream<Arguments> wrongUses() {
        return Stream.of(
                wrong(MPI.ERR_INFO_KEY, "Info.set: the key is null", info -> info.set(null, "")),
                wrong(MPI.ERR_INFO_KEY, "Info.get: the key is 0 characters", info -> info.get("")),
                wrong(MPI.ERR_INFO_KEY, "Info.delete: the key is 36 characters, expected 1 to 35",
                        info -> info.delete("k".repeat(36))),
                wrong(MPI.ERR_INFO_VALUE, "the value of key a is null", info -> info.set("a", null)),
                wrong(MPI.ERR_INFO_VALUE, "256 characters", info -> info.set("a", "v".repeat(256))),
                wrong(MPI.ERR_INFO_NOKEY, "there is no key b among [k]", info -> info.delete("b")),
                wrong(MPI.ERR_ARG, "index is 1, expected 0 to 0", info -> info.getKey(1)),
                wrong(MPI.ERR_ARG, "index is -1", info -> info.getKey(-1)),
                freed("set", info -> info.set("a", "b")), freed("get", info -> info.get("k")),
                freed("delete", info -> info.delete("k")), freed("size", Info::size),
                freed("getKey", info -> info.getKey(0)), freed("dup", Info::dup), freed("free", Info::free));
    }

    private static Arguments wrong(int errorClass, String message, Use use) {
        return Arguments.of(errorClass, message, use);
    }

    private static Arguments freed(String call, Use use) {
        return wrong(MPI.ERR_INFO, "Info." + call + ": the Info was freed", info -> {
            info.free();
            use.of(info);
        });
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("wrongUses")
    void refusesWrongUse(int errorClass, String message, Use use) {
        Info info = new Info();
        info.set("k", "v");
        assertThatThrownBy(() -> use.of(info))
                .isInstanceOfSatisfying(
                        MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(errorClass))
                .hasMessageContaining(message);
    }

    @Test
    void takesTheLongestKeysAndValues() {
        Info info = new Info();
        info.set("k".repeat(MPI.MAX_INFO_KEY - 1), "v".repeat(MPI.MAX_INFO_VAL - 1));
        assertThat(info.get("k".repeat(35))).hasSize(255);
    }

    @Test
    void countsBeyondInt() {
        Count count = new Count(1L << 40);
        assertThat(count.getCount()).isEqualTo(1L << 40);
        assertThat(count).isEqualTo(new Count(1L << 40)).isGreaterThan(new Count(1)).isNotEqualTo(new Count(1));
        assertThat(count).hasSameHashCodeAs(new Count(1L << 40)).hasToString("1099511627776");
        count.setCount(1);
        assertThat(count.compareTo(new Count(2))).isNegative();
    }

    @Test
    void tellsAVersionAndAnErrorHandler() {
        Version version = new Version(3, 1);
        assertThat(version.getVersion()).isEqualTo(3);
        assertThat(version.getSubVersion()).isEqualTo(1);
        MPI.ERRORS_RETURN.free();
        assertThat(MPI.ERRORS_RETURN).hasToString("ERRORS_RETURN").isNotEqualTo(MPI.ERRORS_ARE_FATAL);
    }
}
