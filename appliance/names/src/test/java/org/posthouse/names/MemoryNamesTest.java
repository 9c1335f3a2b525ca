package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryNamesTest extends NameServiceContract {
    private final MemoryNames names = new MemoryNames();

    @Override
    protected NameService names() {
        return names;
    }

    @Test
    void namesThatAreNotBoundMakeRoomAndBoundOnesDoNot() {
        for (int each = 0; each < MemoryNames.NAMES_MAX; each++) {
            names.bind(Name.parse("n/" + each), NameRecord.of(Map.of()));
        }
        assertThat(names.bind(Name.parse("m"), NameRecord.of(Map.of())).toCompletableFuture()).isCompletedExceptionally();
        names.unbind(Name.parse("n/7"), NameService.ANY_VERSION);
        assertThat(names.bind(Name.parse("m"), NameRecord.of(Map.of())).toCompletableFuture()).isCompleted();
    }
}
