package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.posthouse.names.MemoryNames;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** The names of a relay before and after it has its group. */
class LateNamesTest {
    private static final Name NAME = Name.parse("a/b");
    private static final NameRecord RECORD = NameRecord.of(Map.of("v", "1"));

    private final LateNames late = new LateNames("r1");
    private final MemoryNames group = new MemoryNames();

    private static void assertUnavailable(CompletionStage<?> stage, String why) {
        assertThatThrownBy(() -> stage.toCompletableFuture().join())
                .hasCauseInstanceOf(NameException.class)
                .hasMessageContaining("names at relay r1: " + why)
                .satisfies(fault -> assertThat(((NameException) fault.getCause()).kind()).isEqualTo(NameException.Kind.UNAVAILABLE));
    }

    @Test
    void answersWhileItHasItsGroup() {
        assertUnavailable(late.bind(NAME, RECORD), "it has not joined its group yet");
        late.join(group);
        assertThat(late.bind(NAME, RECORD).toCompletableFuture().join().version()).isEqualTo(1);
        assertThat(group.lookup(NAME).toCompletableFuture().join()).isPresent();
        late.close();
        assertUnavailable(late.lookup(NAME), "it has left its group");
    }

    @Test
    void listenersOfTheTimeBeforeAreToldFromTheJoinOn() {
        List<String> heard = new ArrayList<>();
        group.bind(NAME, RECORD);
        NameService.Subscription stays = late.listen(Name.ROOT, change -> heard.add("stays " + change.bound().version()));
        late.listen(Name.ROOT, change -> heard.add("gone")).close();
        assertThat(heard).isEmpty();
        late.join(group);
        group.rebind(NAME, RECORD);
        assertThat(heard).containsExactly("stays 1", "stays 2");
        stays.close();
        group.rebind(NAME, RECORD);
        assertThat(heard).hasSize(2);
    }
}
