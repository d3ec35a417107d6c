/* Messages between the nodes of a star, simulated by SimGrid (S4U): when each arrives.
 *
 * Usage: simgrid_network FILE [--cfg=...]
 *
 * The file has a line for each thing, numbers apart by blanks:
 *   latency SECONDS
 *   backbone BYTES_PER_SECOND            none: no limit
 *   node SEND RECEIVE                    bytes per second out of it and into it
 *   message FROM TO BYTES START AFTER    goes START seconds after the beginning, or after message AFTER has come
 * Nodes and messages are numbered from 0 in the order of the file; AFTER is an earlier message, or -1.
 *
 * Prints the seconds at which each message has come, a line for each. The way out of a node and the way into it are links of their
 * own (a split duplex link has one rate for both); the latency is that of the way out.
 */
#include <simgrid/s4u.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

struct Node {
    double send, receive;
};

struct Message {
    unsigned from, to;
    unsigned long long bytes;
    double start;
    long after;
};

struct Pattern {
    double latency = 0, backbone = 0;
    std::vector<Node> nodes;
    std::vector<Message> messages;
};

static Pattern read(const char *path)
{
    Pattern pattern;
    std::ifstream file(path);
    for (std::string word; file >> word;) {
        if (word == "latency") {
            file >> pattern.latency;
        } else if (word == "backbone") {
            file >> pattern.backbone;
        } else if (word == "node") {
            Node node;
            file >> node.send >> node.receive;
            pattern.nodes.push_back(node);
        } else if (word == "message") {
            Message message;
            file >> message.from >> message.to >> message.bytes >> message.start >> message.after;
            pattern.messages.push_back(message);
        } else {
            fprintf(stderr, "%s: unknown word %s\n", path, word.c_str());
            exit(2);
        }
    }
    return pattern;
}

static std::vector<sg4::Host *> build(const Pattern &pattern)
{
    auto *star = sg4::create_star_zone("star");
    auto *backbone = pattern.backbone > 0 ? star->create_link("backbone", pattern.backbone) : nullptr;
    std::vector<sg4::Host *> hosts;
    for (const Node &node : pattern.nodes) {
        std::string name = std::to_string(hosts.size());
        auto *host = star->create_host(name, 1e9);
        auto *out = star->create_link("out " + name, node.send)->set_latency(pattern.latency);
        auto *into = star->create_link("into " + name, node.receive)->set_latency(0);
        std::vector<sg4::LinkInRoute> up{sg4::LinkInRoute(out)};
        if (backbone)
            up.emplace_back(backbone->set_latency(0));
        star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, up, false);
        star->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(into)}, false);
        hosts.push_back(host);
    }
    star->seal();
    return hosts;
}

int main(int argc, char **argv)
{
    sg4::Engine engine(&argc, argv);
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE [--cfg=...]\n", argv[0]);
        return 2;
    }
    const Pattern pattern = read(argv[1]);
    const auto hosts = build(pattern);
    std::vector<sg4::ActorPtr> actors;
    std::vector<double> arrivals(pattern.messages.size());
    for (size_t i = 0; i < arrivals.size(); i++) {
        const Message &message = pattern.messages[i];
        auto send = [&, message, i] {
            if (message.after >= 0)
                actors[message.after]->join();
            sg4::this_actor::sleep_for(message.start);
            sg4::Comm::sendto(hosts[message.from], hosts[message.to], message.bytes);
            arrivals[i] = sg4::Engine::get_clock();
        };
        actors.push_back(sg4::Actor::create(std::to_string(i), hosts[message.from], send));
    }
    engine.run();
    for (double arrival : arrivals)
        printf("%.12f\n", arrival);
}
