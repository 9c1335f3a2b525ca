package org.posthouse.mpj.coll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.coll.Algorithms.Call;
import org.posthouse.mpj.coll.Algorithms.ForAllgather;
import org.posthouse.mpj.coll.Algorithms.ForAllreduce;
import org.posthouse.mpj.coll.Algorithms.ForAlltoall;
import org.posthouse.mpj.coll.Algorithms.ForBarrier;
import org.posthouse.mpj.coll.Algorithms.ForBcast;
import org.posthouse.mpj.coll.Algorithms.ForReduce;
import org.posthouse.mpj.coll.Algorithms.ForReduceScatter;
import org.posthouse.mpj.coll.Algorithms.ForScan;
import org.posthouse.mpj.data.Region;

/** What is chosen, what can be forced, and that the document says so. */
class AlgorithmsTest {
    private static final Algorithms CHOSEN = Algorithms.parse(null);

    private static Call call(int ranks, int sites, long bytes) {
        return new Call(ranks, sites, bytes, true);
    }

    private static Call ordered(int ranks, int sites, long bytes) {
        return new Call(ranks, sites, bytes, false);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 0, FLAT", "16, 4096, FLAT", "17, 4096, BINOMIAL", "8, 4097, BINOMIAL", "8, 196608, BINOMIAL",
        "8, 196609, CHAIN", "2, 999999, BINOMIAL", "8, -1, BINOMIAL"
    })
    void choosesBcastAndReduceAlike(int ranks, long bytes, String expected) {
        assertThat(CHOSEN.bcast(call(ranks, 1, bytes))).isEqualTo(ForBcast.valueOf(expected));
        assertThat(CHOSEN.reduce(ordered(ranks, 2, bytes))).isEqualTo(ForReduce.valueOf(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "8, 1, 262143, REDUCE_BCAST, REDUCE_BCAST", "8, 1, 262144, HALVING, HALVING",
        "7, 1, 262144, REDUCE_BCAST, REDUCE_BCAST", "8, 1, -1, REDUCE_BCAST, REDUCE_BCAST",
        "2, 1, 8, DOUBLING, DOUBLING", "2, 1, 262144, HALVING, HALVING", "2, 1, -1, REDUCE_BCAST, REDUCE_BCAST",
        "8, 2, 16384, SITES, REDUCE_BCAST", "2, 2, 8, SITES, REDUCE_BCAST",
        "8, 2, 16385, REDUCE_BCAST, REDUCE_BCAST", "8, 3, -1, REDUCE_BCAST, REDUCE_BCAST"
    })
    void choosesAllreduceBySitesAndOrder(int ranks, int sites, long bytes, String commuting, String inOrder) {
        assertThat(CHOSEN.allreduce(call(ranks, sites, bytes))).isEqualTo(ForAllreduce.valueOf(commuting));
        assertThat(CHOSEN.allreduce(ordered(ranks, sites, bytes))).isEqualTo(ForAllreduce.valueOf(inOrder));
    }

    @Test
    void choosesTheOthers() {
        assertThat(CHOSEN.barrier(call(2, 1, 0))).isEqualTo(ForBarrier.DISSEMINATION);
        assertThat(CHOSEN.barrier(call(3, 1, 0))).isEqualTo(ForBarrier.TREE);
        assertThat(CHOSEN.allgather(call(8, 1, 256 * 1024))).isEqualTo(ForAllgather.RING);
        assertThat(CHOSEN.allgather(call(8, 1, 256 * 1024 - 1))).isEqualTo(ForAllgather.GATHER_BCAST);
        assertThat(CHOSEN.allgather(call(2, 1, 256 * 1024))).isEqualTo(ForAllgather.GATHER_BCAST);
        assertThat(CHOSEN.alltoall(call(32, 1, 1024))).isEqualTo(ForAlltoall.BRUCK);
        assertThat(CHOSEN.alltoall(call(31, 1, 1024))).isEqualTo(ForAlltoall.ROTATION);
        assertThat(CHOSEN.alltoall(call(32, 1, 1025))).isEqualTo(ForAlltoall.ROTATION);
        assertThat(CHOSEN.alltoall(call(32, 1, Region.BYTES_UNKNOWN))).isEqualTo(ForAlltoall.ROTATION);
        assertThat(CHOSEN.alltoall(call(31, 2, 8))).isEqualTo(ForAlltoall.ROTATION);
        assertThat(CHOSEN.alltoall(call(32, 2, 8))).isEqualTo(ForAlltoall.SITES);
        assertThat(CHOSEN.reduceScatter(call(8, 1, 128 * 1024))).isEqualTo(ForReduceScatter.ROTATION);
        assertThat(CHOSEN.reduceScatter(ordered(8, 1, 128 * 1024))).isEqualTo(ForReduceScatter.REDUCE_SCATTER);
        assertThat(CHOSEN.reduceScatter(call(8, 2, 128 * 1024))).isEqualTo(ForReduceScatter.REDUCE_SCATTER);
        assertThat(CHOSEN.scan(call(8, 1, 196_609))).isEqualTo(ForScan.CHAIN);
        assertThat(CHOSEN.scan(call(8, 1, 196_608))).isEqualTo(ForScan.DOUBLING);
    }

    @Test
    void forcedAlgorithmAppliesWherePossibleElseTheDefault() {
        Algorithms forced = Algorithms.parse(
                "bcast=chain, allreduce=sites,reduce-scatter=rotation,alltoall=bruck,scan=chain,allgather=ring");
        assertThat(forced.bcast(call(8, 1, 1))).isEqualTo(ForBcast.CHAIN);
        assertThat(forced.bcast(call(8, 1, 0))).isEqualTo(ForBcast.FLAT);
        assertThat(forced.bcast(call(8, 1, Region.BYTES_UNKNOWN))).isEqualTo(ForBcast.BINOMIAL);
        assertThat(forced.reduce(call(8, 1, 1))).isEqualTo(ForReduce.FLAT);
        assertThat(forced.allreduce(call(8, 2, 1 << 20))).isEqualTo(ForAllreduce.SITES);
        assertThat(forced.allreduce(call(2, 1, 8))).isEqualTo(ForAllreduce.DOUBLING);
        assertThat(forced.allreduce(ordered(8, 2, 8))).isEqualTo(ForAllreduce.REDUCE_BCAST);
        assertThat(forced.reduceScatter(call(8, 2, 8))).isEqualTo(ForReduceScatter.ROTATION);
        assertThat(forced.reduceScatter(ordered(8, 2, 8))).isEqualTo(ForReduceScatter.REDUCE_SCATTER);
        assertThat(forced.alltoall(call(2, 2, 1 << 20))).isEqualTo(ForAlltoall.BRUCK);
        assertThat(forced.alltoall(call(2, 2, Region.BYTES_UNKNOWN))).isEqualTo(ForAlltoall.ROTATION);
        assertThat(forced.scan(call(1, 1, 8))).isEqualTo(ForScan.DOUBLING);
        assertThat(forced.allgather(call(3, 1, Region.BYTES_UNKNOWN))).isEqualTo(ForAllgather.GATHER_BCAST);
        assertThat(Algorithms.parse(" ").bcast(call(8, 1, 1))).isEqualTo(ForBcast.FLAT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bcast", "bcast=", "bcast=ring", "broadcast=flat", "bcast=flat,bcast=chain", "a=b=c", ",",
        "bcast=FLAT", "bcast=flat;scan=chain"})
    void parseErrorListsTheValidAlgorithms(String text) {
        assertThatThrownBy(() -> Algorithms.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("POSTHOUSE_COLLECTIVES is \"" + text + "\"")
                .hasMessageContaining("bcast=flat|binomial|chain")
                .hasMessageContaining("allreduce=doubling|halving|sites|reduce-bcast")
                .hasMessageContaining("reduce-scatter=reduce-scatter|rotation");
    }

    private static List<String> document() throws IOException {
        Path here = Path.of("docs", "collectives.md");
        return Files.readAllLines(Files.exists(here) ? here : Path.of("..").resolve(here));
    }

    /** The one row of the document's table for an algorithm. */
    private static String row(String name) throws IOException {
        List<String> rows =
                document().stream().filter(line -> line.startsWith("|") && line.contains("`" + name + "`")).toList();
        assertThat(rows).as("rows of %s", name).hasSize(1);
        return rows.get(0);
    }

    @Test
    void theDocumentHasARowForEachAlgorithmAndNoOther() throws IOException {
        List<String> known = new ArrayList<>();
        Algorithms.known().forEach((operation, names) -> names.forEach(name -> known.add(operation + "=" + name)));
        List<String> told = new ArrayList<>();
        for (String line : document()) {
            Matcher name = Pattern.compile("^\\|[^|]*\\| `([a-z-]+=[a-z-]+)` \\|").matcher(line);
            if (name.find()) {
                told.add(name.group(1));
            }
        }
        assertThat(told).containsExactlyElementsOf(known);
    }

    private static String kibibytes(int bytes) {
        return bytes / 1024 + " KiB";
    }

    @Test
    void theDocumentTellsTheThresholds() throws IOException {
        String flat = "≤ " + kibibytes(Algorithms.FLAT_BYTES_MAX) + ", n ≤ " + Algorithms.FLAT_RANKS_MAX;
        assertThat(row("bcast=flat")).contains(flat);
        assertThat(row("reduce=flat")).contains(flat);
        assertThat(row("allreduce=sites")).contains("≤ " + kibibytes(Algorithms.SITES_BYTES_MAX));
        assertThat(row("allreduce=halving")).contains("≥ " + kibibytes(Algorithms.HALVING_BYTES_MIN));
        assertThat(row("allgather=ring")).contains("≥ " + kibibytes(Algorithms.RING_BYTES_MIN));
        String together =
                "≤ " + kibibytes(Algorithms.TOGETHER_BYTES_MAX) + ", n ≥ " + Algorithms.TOGETHER_RANKS_MIN;
        assertThat(row("alltoall=bruck")).contains(together);
        assertThat(row("alltoall=sites")).contains(together);
        assertThat(row("reduce-scatter=rotation")).contains("≥ " + kibibytes(Algorithms.DIRECT_BYTES_MIN));
    }
}
