package org.posthouse.mpj.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import org.junit.jupiter.api.Test;

/** Serialized objects up to the limit of a message, which is lower here than a program's. */
class ObjectContentTest {
    private static final int BYTES_MAX = 4096;

    /** Hides what its stream throws, as programs do. */
    private static final class Hiding implements Serializable {
        private static final long serialVersionUID = 1L;

        private void writeObject(ObjectOutputStream out) {
            try {
                out.write(new byte[2 * BYTES_MAX]);
            } catch (IOException e) {
                throw new IllegalStateException("hidden", e);
            }
        }
    }

    private static ObjectContent content(Object... objects) {
        return new ObjectContent(Layout.ONE, objects, 0, 0, objects.length, BYTES_MAX);
    }

    @Test
    void namesTheClassThatIsTooLongTheBytesSoFarAndTheLimit() {
        for (Object last : new Object[] {new byte[2 * BYTES_MAX], new Hiding(), new int[BYTES_MAX][1]}) {
            assertThatThrownBy(() -> content(new byte[2000], last))
                    .isInstanceOfSatisfying(UnwritableException.class, e -> assertThat(e.isTooLong()).isTrue())
                    .hasMessageMatching("element 1 of class \\Q" + last.getClass().getName()
                            + "\\E cannot be serialized: the message has [2-4]\\d{3} bytes so far, expected at most 4096 in one message: send it in parts");
        }
    }

    @Test
    void takesUpToTheLimitToTheByte() {
        long overhead = content((Object) new byte[1000]).bytes() - 1000;
        assertThat(content((Object) new byte[BYTES_MAX - (int) overhead]).bytes()).isEqualTo(BYTES_MAX);
        assertThatThrownBy(() -> content((Object) new byte[BYTES_MAX - (int) overhead + 1]))
                .isInstanceOfSatisfying(UnwritableException.class, e -> assertThat(e.isTooLong()).isTrue())
                .hasMessageStartingWith("element 0 of class [B cannot be serialized: ");
    }
}
