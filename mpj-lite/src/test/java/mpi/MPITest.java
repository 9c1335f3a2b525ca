package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What MPI says outside of a job. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MPITest {
    @Test
    void initTellsHowToStartAProgram() {
        assertThatThrownBy(() -> MPI.Init(new String[0]))
                .isInstanceOf(MPIException.class)
                .hasMessageContaining("start MPI programs with \"posthouse run");
        assertThat(MPI.Initialized()).isFalse();
    }

    @Test
    void finalizeNeedsInit() {
        assertThatThrownBy(MPI::Finalize).isInstanceOf(MPIException.class).hasMessageContaining("after Init");
    }

    @Test
    void theClockCountsParts() {
        double start = MPI.Wtime();
        double next = MPI.Wtime();
        while (next == start) {
            next = MPI.Wtime();
        }
        assertThat(next - start).isPositive().isLessThan(10);
        assertThat(MPI.Wtick()).isPositive().isLessThanOrEqualTo(1e-6);
    }

    /** Programs size their threads by it, in a constant of a class that is there before Init. */
    @Test
    void countsTheHostsProcessors() {
        assertThat(MPI.NUM_OF_PROCESSORS).isEqualTo(Runtime.getRuntime().availableProcessors());
    }

    @Test
    void namesTheHost() {
        assertThat(MPI.Get_processor_name()).isNotBlank();
    }
}
