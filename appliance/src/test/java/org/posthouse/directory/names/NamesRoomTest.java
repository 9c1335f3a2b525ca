package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.map.IMap;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.posthouse.directory.Groups;
import org.posthouse.directory.HazelcastDirectory;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;

/** How much the names of a group may be together. */
class NamesRoomTest {
    private static final int SIZE = 10_000;
    private static final int LIMIT = 100_000;

    private final Map<String, String> stored = new TreeMap<>();
    private final NamesRoom room = new NamesRoom(map(stored), Runnable::run);

    @SuppressWarnings("unchecked")
    private static IMap<String, String> map(Map<String, String> stored) {
        return (IMap<String, String>) Proxy.newProxyInstance(IMap.class.getClassLoader(), new Class<?>[] {IMap.class}, (proxy, method,
                args) -> switch (method.getName()) {
                    case "size" -> stored.size();
                    case "aggregate" -> {
                        StoredSize size = new StoredSize();
                        stored.entrySet().forEach(size::accumulate);
                        yield size.aggregate();
                    }
                    default -> throw new UnsupportedOperationException(method.toString());
                });
    }

    private void write(String key, int size, boolean mayBeNew) {
        room.admit(size, mayBeNew).join();
        stored.put(key, "x".repeat(size - key.length()));
    }

    private static void assertFull(ThrowingCallable write, String message) {
        assertThatThrownBy(write).cause().isInstanceOfSatisfying(NameException.class, fault -> {
            assertThat(fault.kind()).isEqualTo(NameException.Kind.TOO_LARGE);
            assertThat(fault).hasMessage(message);
        });
    }

    @Test
    void whatIsWrittenCountsBeforeTheNextCount() {
        room.limit(LIMIT);
        for (int next = 0; next < 10; next++) {
            write("n" + next, SIZE, true);
        }
        String full = "the names in the group have 100000 bytes, and with this one of 10000 more than 100000, the most that it has room for; unbind some";
        assertFull(() -> write("n10", SIZE, true), full);
        assertFull(() -> write("n1", SIZE, false), full);
        write("n1", 1_000, false);
        write("n10", 9_000, true); // The count has found that n1 is smaller now.
        assertFull(() -> write("n11", 1, true), full.replace("10000 more", "1 more"));
    }

    @Test
    void aRecordThatIsReplacedAgainAndAgainTakesNoMoreRoom() {
        room.limit(LIMIT);
        for (int next = 0; next < 50; next++) {
            write("n", SIZE, false);
        }
        room.count();
        assertThat(room.isCrowded()).isFalse();
    }

    @Test
    void aNameTooManyIsRefusedUntilOneIsForgotten() {
        for (int next = 0; next < NamesRoom.NAMES_MAX; next++) {
            stored.put("n" + next, "");
        }
        room.count();
        assertThat(room.isCrowded()).isTrue();
        assertFull(() -> write("new", SIZE, true), "65536 names are in the group, the most that it has room for; unbind some");
        write("n1", SIZE, false);
        stored.remove("n2");
        write("new", SIZE, true);
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Two members, whose sums are added up. */
    @Test
    void aGroupCountsWhatAllOfItsMembersOwn() throws IOException {
        List<HazelcastDirectory> directories = Groups.start("room", Groups.endpoints("127.0.0.1", "127.0.0.1"));
        try {
            HazelcastNames writer = (HazelcastNames) directories.getFirst().names();
            HazelcastNames other = (HazelcastNames) directories.getLast().names();
            NameRecord record = NameRecord.of(Map.of("v", "x".repeat(SIZE)));
            for (int next = 0; next < 8; next++) {
                get(writer.bind(Name.parse("n" + next), record));
            }
            other.room().limit(8 * SIZE);
            other.room().count();
            assertThatThrownBy(() -> get(other.bind(Name.parse("large"), record))).cause().hasMessageMatching("the names in the group have 8\\d{4} bytes, .*");
            assertThat(get(other.rebind(Name.parse("n0"), NameRecord.of(Map.of()))).version()).isEqualTo(2);
        } finally {
            directories.forEach(HazelcastDirectory::close);
        }
    }
}
