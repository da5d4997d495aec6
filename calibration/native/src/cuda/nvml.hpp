// NVML, loaded at run time: clocks, power, event reasons, links. Without it the fields are absent.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "../core/json.hpp"
#include "../core/point.hpp"

namespace foretoken {

class Nvml {
public:
    static Nvml& instance();

    bool usable() const { return missing_.empty(); }
    const std::string& missing() const { return missing_; }
    std::optional<std::string> version() const;
    std::optional<std::string> driver_version() const;

    /** Adds what NVML knows about the card at a PCI bus id to its `devices` entry. */
    void describe(const std::string& pci_bus_id, Json& device);
    /** Clocks, power, temperature and event reasons now. */
    DeviceState state(const std::string& pci_bus_id);
    /** Processes of others on the card, utilisation in percent, performance state, PCIe generation and width now and at most. */
    struct Load {
        std::optional<int> foreign_processes;
        std::optional<int> utilisation_percent;
        std::optional<int> performance_state;
        std::optional<int> pcie_gen, pcie_gen_max, pcie_width, pcie_width_max;
    };
    Load load(const std::string& pci_bus_id);
    /** PIX | PXB | PHB | NODE | SYS, or NV# where NVLinks of the first card are up; absent = unknown. */
    std::optional<std::string> path(const std::string& a, const std::string& b);

private:
    Nvml();
    void* device(const std::string& pci_bus_id);

    void* library_ = nullptr;
    std::string missing_;
};

}  // namespace foretoken
