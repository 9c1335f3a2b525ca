package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The names of a job's files together. */
class StagedNamesTest {
    private final StagedNames names = new StagedNames(100);

    private static ContentId id(int seed, long bytes) {
        return new ContentId(String.format("%064x", seed), bytes);
    }

    @Test
    void keepsTheOrder() throws Exception {
        names.add("z", id(1, 10));
        names.add("a/b", id(2, 10));
        names.add("a/c", id(3, 10));
        assertThat(names.files().keySet()).containsExactly("z", "a/b", "a/c");
        assertThat(names.bytes()).isEqualTo(30);
    }

    @Test
    void oneNameStandsOnce() throws Exception {
        names.add("a", id(1, 1));
        assertThatThrownBy(() -> names.add("a", id(1, 1))).isInstanceOf(StageException.class).hasMessage("two of the job's files have the name \"a\"");
        assertThatThrownBy(() -> names.add("../a", id(1, 1))).hasMessageContaining("has the part");
    }

    @Test
    void fileIsNoFolder() throws Exception {
        names.add("a", id(1, 1));
        assertThatThrownBy(() -> names.add("a/b/c", id(2, 1))).hasMessage("\"a\" of the job's files is a file, and a folder for \"a/b/c\"");
        names.add("x/y/z", id(3, 1));
        assertThatThrownBy(() -> names.add("x/y", id(4, 1))).hasMessage("\"x/y\" of the job's files is a file, and a folder for \"x/y/z\"");
        assertThat(names.files()).hasSize(2);
    }

    @Test
    void limitIsToldBeforeTheFirstByte() throws Exception {
        names.add("a", id(1, 60));
        names.add("again", id(1, 60));
        assertThatThrownBy(() -> names.add("b", id(2, 41)))
                .hasMessage("the job's files have more than 100 bytes together, with \"b\" of 41 (--stage-cache)");
        names.add("c", id(3, 40));
        assertThatThrownBy(() -> names.add("d", id(4, Long.MAX_VALUE))).hasMessageContaining("more than 100 bytes");
    }
}
