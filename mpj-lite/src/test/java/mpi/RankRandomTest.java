package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process's random numbers come from one value that is recorded. */
class RankRandomTest {
    @Test
    void theSequenceIsThatOfOneValueThatIsAskedForOnce() {
        List<String> asked = new ArrayList<>();
        RankRandom random = new RankRandom(Ends.that((call, arguments) -> {
            asked.add(call);
            return 42L;
        }));
        SplittableRandom expected = new SplittableRandom(42);
        for (int i = 0; i < 1_000; i++) {
            assertThat(random.next()).isEqualTo(expected.nextDouble());
        }
        assertThat(asked).containsExactly("value");
    }

    /** Also if it has asked for none before. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void restoredImageContinuesTheRandomSequence(int asked) throws IOException {
        RankRandom first = new RankRandom(Ends.that((call, arguments) -> 42L));
        for (int i = 0; i < asked; i++) {
            first.next();
        }
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        first.write(new DataOutputStream(image));
        RankRandom next = new RankRandom(Ends.that((call, arguments) -> 42L));
        next.read(new DataInputStream(new ByteArrayInputStream(image.toByteArray())));
        assertThat(next.next()).isEqualTo(new SplittableRandom(42).doubles().skip(asked).findFirst().orElseThrow());
    }

    @Test
    void processesDiffer() {
        double[] first = new double[2];
        for (int i = 0; i < first.length; i++) {
            RankRandom random = new RankRandom(
                    Ends.that((call, arguments) -> ((LongSupplier) arguments[0]).getAsLong()));
            first[i] = random.next();
        }
        assertThat(first[0]).isNotEqualTo(first[1]);
    }
}
