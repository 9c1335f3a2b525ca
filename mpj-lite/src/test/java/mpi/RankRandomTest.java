package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

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
