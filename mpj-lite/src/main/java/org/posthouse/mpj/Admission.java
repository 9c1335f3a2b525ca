package org.posthouse.mpj;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/** The job that admitted this rank, as described by its relay's first WELCOME. Immutable. */
final class Admission {
    private final Hello hello;
    private final int size;
    private final List<HomeRelay> homes;
    private final int[] homeOf;
    private final int[] siteOf;

    Admission(Hello hello, Welcome welcome) {
        this.hello = hello;
        size = welcome.size();
        homes = welcome.homes();
        homeOf = welcome.homeOf();
        siteOf = siteNumbers(homes, homeOf);
    }

    private Admission(Hello hello, Admission before) {
        this.hello = hello;
        size = before.size;
        homes = before.homes;
        homeOf = before.homeOf;
        siteOf = before.siteOf;
    }

    /** The same of a process that has another number from now on. */
    Admission as(Hello next) {
        return new Admission(next, this);
    }

    private static int[] siteNumbers(List<HomeRelay> homes, int[] homeOf) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        int[] siteOf = new int[homeOf.length];
        for (int rank = 0; rank < homeOf.length; rank++) {
            siteOf[rank] = numbers.computeIfAbsent(homes.get(homeOf[rank]).site(), site -> numbers.size());
        }
        return siteOf;
    }

    int size() {
        return size;
    }

    /** The relay of {@code rank}. */
    HomeRelay home(int rank) {
        return homes.get(homeOf[rank]);
    }

    /** Number of the site that {@code rank} runs at, from 0. */
    int siteOf(int rank) {
        return siteOf[rank];
    }

    /**
     * Checks a further WELCOME.
     *
     * @throws WireException if the relay does not know as much as the rank does
     */
    void requireSame(Welcome again, long deliveries) throws WireException {
        String expected = remembered(hello.job(), hello.rank(), hello.incarnation(), size, deliveries);
        String said = remembered(again.job(), again.rank(), again.incarnation(), again.size(), again.deliveries());
        if (!said.equals(expected)) {
            throw new WireException(CloseReason.CANNOT_RESUME, "WELCOME after a move to " + said + ", expected " + expected);
        }
    }

    /**
     * Checks a WELCOME after a break. The relay may know of deliveries that were lost on the way.
     *
     * @throws WireException as above
     */
    void requireNoLess(Welcome again, long deliveries) throws WireException {
        if (again.deliveries() < deliveries || again.job() != hello.job() || again.rank() != hello.rank()
                || again.incarnation() != hello.incarnation() || again.size() != size) {
            String said = remembered(again.job(), again.rank(), again.incarnation(), again.size(), again.deliveries());
            throw new WireException(
                    CloseReason.CANNOT_RESUME,
                    "WELCOME after a break to " + said + ", expected "
                            + remembered(hello.job(), hello.rank(), hello.incarnation(), size, deliveries) + " or more");
        }
    }

    private static String remembered(long job, int rank, int incarnation, int size, long deliveries) {
        return "rank " + rank + " of " + size + ", incarnation " + incarnation + " with " + deliveries
                + " deliveries, in job " + Long.toHexString(job);
    }
}
